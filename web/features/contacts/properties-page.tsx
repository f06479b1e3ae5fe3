import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTool } from '../../api/tools.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { propertiesTexts } from '../../texts/properties.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { PropertyDialog } from './property-dialog.tsx';
import {
  PROPERTY_TYPES,
  type Property,
  deletedProperty,
  propertyList,
} from './property.readers.ts';

/** Shows the declared properties of contacts. */
export function PropertiesPage() {
  const texts = useTexts(propertiesTexts);
  const { all } = useTexts(contactsTexts);
  const toast = useToast();
  const query = useTool('list_properties', {}, propertyList);
  const [edited, setEdited] = useState<{ property: Property | undefined }>();
  const removal = useRemoval(
    'delete_property',
    deletedProperty,
    ['list_properties'],
    texts.deleted,
    ({ name }: Property) => ({ name }),
  );
  const properties = query.data?.properties;
  const add = (
    <Button look="primary" onClick={() => setEdited({ property: undefined })}>
      {texts.add}
    </Button>
  );
  const typeOf = (given: string): string => {
    const type = PROPERTY_TYPES.find((one) => one === given);
    return type ? texts.types[type] : given;
  };
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={properties?.length ? add : undefined}
      back={
        <Link to="/contacts" className={backClass}>
          <Icon name="chevronLeft" />
          {all}
        </Link>
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {properties?.length === 0 && (
        <EmptyState title={texts.none} actions={add}>
          {texts.noneAbout}
        </EmptyState>
      )}
      {properties && properties.length > 0 && (
        <Table
          label={texts.title}
          rows={properties}
          keyOf={({ name }) => name}
          columns={[
            { name: texts.name, cell: ({ name }) => <code>{name}</code> },
            { name: texts.type, cell: ({ type }) => typeOf(type) },
            { name: texts.options, cell: ({ options }) => options.join(', ') },
            {
              name: texts.actions,
              cell: (property) => (
                <>
                  <Button size="small" onClick={() => setEdited({ property })}>
                    {texts.change}
                    <span className="hidden-visually"> {property.name}</span>
                  </Button>{' '}
                  <Button size="small" onClick={() => removal.ask(property)}>
                    {texts.delete}
                    <span className="hidden-visually"> {property.name}</span>
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {edited && (
        <PropertyDialog
          property={edited.property}
          onClose={() => setEdited(undefined)}
          onDone={() => {
            setEdited(undefined);
            toast(texts.saved);
          }}
        />
      )}
      <ConfirmDialog
        {...removal.dialog}
        title={texts.deleteTitle(removal.asked?.name ?? '')}
        description={texts.deleteText}
        action={texts.delete}
      />
    </Page>
  );
}
