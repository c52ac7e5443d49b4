/** The draft of a migration, and its notes. */
import { isLeftOut, valueText } from './config.ts';

/**
 * `moved`: under another name, same value. `converted`: the value changed too. `removed`: it had no effect beside the
 * present parameters. `kept`: it could not be migrated, and a person must decide.
 */
type MigrationAction = 'moved' | 'converted' | 'removed' | 'kept';

export interface MigrationNote {
  action: MigrationAction;
  /** The deprecated parameter. */
  parameter: string;
  /** The old value. */
  value: string;
  /** The new parameter, or the one that overrides it; null without one. */
  to: { parameter: string; value: string } | null;
  why: string;
  /** Users may see something else than before; a person should look. */
  attention: boolean;
}

/** A configuration under migration. Steps change it and add notes. */
export interface MigrationDraft {
  readonly config: Map<string, unknown>;
  readonly notes: MigrationNote[];
}

/** The text of a parameter; null where it is left out, or has no text. */
export function draftText({ config }: MigrationDraft, name: string): string | null {
  return valueText(config.get(name)) ?? null;
}

/**
 * Removes and returns a deprecated parameter. An empty one is removed without a note; one without a text (an object,
 * a number that lost its digits) stays, with a note.
 * @returns its text, or null where there is nothing to migrate
 */
export function takeUp(draft: MigrationDraft, name: string): string | null {
  if (!draft.config.has(name)) return null;
  const value = draft.config.get(name);
  const text = valueText(value);
  if (isLeftOut(value)) draft.config.delete(name);
  if (text !== undefined) return text;
  draft.notes.push({
    action: 'kept',
    parameter: name,
    value: typeof value === 'number' ? String(value) : `(${typeof value})`,
    to: null,
    why: 'it has no exact text; give it as text, with every digit',
    attention: true,
  });
  return null;
}
