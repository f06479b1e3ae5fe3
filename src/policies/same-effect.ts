/** The tools of agents and steps whose effect a call of another tool can have. */
interface SameEffect {
  readonly tools: readonly string[];
  /** The calls without this effect: calls in which this argument has one of these values. */
  readonly except?: { readonly argument: string; readonly values: readonly unknown[] };
}

/**
 * Maps a tool to the tools of agents and steps with the same effect. The policies of these tools apply to the tool too.
 * Without this, an agent could use the tool, itself or in a step that it saves, in place of a tool that is hidden or that
 * a person must confirm. `same-effect.e2e-spec.ts` lists the tools that need no entry.
 */
export const SAME_EFFECT: Readonly<Record<string, SameEffect>> = {
  add_contact_alias: { tools: ['update_contact'] },
  create_contact: {
    tools: ['update_contact'],
    except: { argument: 'on_conflict', values: [undefined, 'error'] },
  },
  create_workflow: {
    tools: ['activate_workflow'],
    except: { argument: 'active', values: [false] },
  },
  // The merged contact no longer exists, and the survivor gets its values.
  merge_contacts: { tools: ['delete_contact', 'update_contact'] },
  // A text message with START grants consent, and a text message with HELP is answered.
  record_message: {
    tools: ['update_contact', 'send_message'],
    except: { argument: 'channel', values: [undefined, 'email'] },
  },
  remove_contact_alias: { tools: ['update_contact'] },
  // After a complaint or a bounce, the address gets no more messages.
  report_delivery: {
    tools: ['suppress_address'],
    except: { argument: 'outcome', values: ['delivered', 'failed'] },
  },
  resolve_message: {
    tools: ['send_message'],
    except: { argument: 'outcome', values: ['sent', 'delivered', 'failed'] },
  },
  restore_template_version: { tools: ['update_template'] },
  set_run_contact: { tools: ['create_contact', 'update_contact'] },
  // With double opt-in, the contact gets an e-mail that asks for a confirmation.
  set_topic_subscription: {
    tools: ['send_message'],
    except: { argument: 'subscribed', values: [false] },
  },
  start_import: { tools: ['create_contact', 'update_contact'] },
  unmerge_contacts: { tools: ['create_contact', 'update_contact'] },
};

/**
 * Returns the tools of agents and steps with the same effect as a call of the tool with these arguments. `name` is the
 * current name of the tool. The arguments may be invalid, and those of a step may contain expressions. An expression
 * counts as a value with the effect.
 */
export function sameEffectOf(
  name: string,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (!Object.hasOwn(SAME_EFFECT, name)) return [];
  const { tools, except } = SAME_EFFECT[name]!;
  return except?.values.includes(given[except.argument]) ? [] : tools;
}
