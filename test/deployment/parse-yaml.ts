import { parsers } from 'prettier/plugins/yaml';

/** Describes a node of the syntax tree of Prettier, whose types do not describe it. */
interface Node {
  type: string;
  value?: string;
  children: (Node | null)[];
  anchor?: { value: string } | null;
}

/**
 * Parses a YAML file of one document with mappings, sequences, scalars, anchors and merge keys. All scalars become
 * strings, except null. Throws for every other construct.
 */
export async function parseYaml(text: string): Promise<unknown> {
  const { yaml } = parsers;
  const root = (await yaml.parse(text, {} as never)) as Node;
  if (root.children.length !== 1) throw new Error('There must be one document.');
  return new Reader().read(root.children[0]!.children[1]!.children[0] ?? null);
}

class Reader {
  private readonly anchors = new Map<string, unknown>();

  read(node: Node | null): unknown {
    if (!node) return null;
    const value = this.valueOf(node);
    if (node.anchor) this.anchors.set(node.anchor.value, value);
    return value;
  }

  private valueOf(node: Node): unknown {
    switch (node.type) {
      case 'null':
        return null;
      case 'plain':
      case 'quoteDouble':
      case 'quoteSingle':
      case 'blockLiteral':
        return node.value;
      case 'alias':
        if (!this.anchors.has(node.value!)) throw new Error(`There is no anchor ${node.value}.`);
        return this.anchors.get(node.value!);
      case 'sequence':
      case 'flowSequence':
        return node.children.map((item) =>
          this.read(item!.type.endsWith('Item') ? item!.children[0]! : item),
        );
      case 'mapping':
      case 'flowMapping':
        return this.mapping(node);
      default:
        throw new Error(`${node.type} is not supported.`);
    }
  }

  private mapping({ children }: Node): Record<string, unknown> {
    const entries = children.map((item): [string, unknown] => {
      const [key, value] = item!.children;
      return [String(this.read(key?.children[0] ?? null)), this.read(value?.children[0] ?? null)];
    });
    const merged = entries.filter(([key]) => key === '<<').map(([, value]) => value as object);
    const own = Object.fromEntries(entries.filter(([key]) => key !== '<<'));
    return Object.assign({}, ...merged, own) as Record<string, unknown>;
  }
}
