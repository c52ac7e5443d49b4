/**
 * The maker's name in identifiers. Deployments write `base<Name>Fee` where the specification, our schemas and
 * everything inside Tieout say `baseServiceFee`; only this file converts between them.
 */

import { emptyObject, isExactObject } from '../exact-json.ts';

const OURS = 'baseServiceFee';

/** `Ramp` → `baseRampFee`. */
export function baseFeeField(identifierName: string): string {
  return `base${identifierName}Fee`;
}

/** A freshly read body in the specification's names. Objects without the field are returned as they are, not copied. */
export function fromWireNames(body: unknown, identifierName: string): unknown {
  return rename(body, baseFeeField(identifierName), OURS);
}

/** The name of a field as the deployment has it, for messages. */
export function wireFieldPath(path: string, identifierName: string): string {
  return path.replace(/(^|\.)baseServiceFee$/, `$1${baseFeeField(identifierName)}`);
}

/** The maker's name that a body's keys suggest, or null: `baseRampFee` where `baseServiceFee` was looked for. */
export function suggestedName(body: object): string | null {
  for (const key of Object.keys(body)) {
    const name = /^base([A-Za-z][A-Za-z0-9]{0,39})Fee$/.exec(key)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

function rename(value: unknown, from: string, to: string): unknown {
  if (from === to) return value;
  if (Array.isArray(value)) {
    const after = value.map((item) => rename(item, from, to));
    return after.some((item, index) => item !== value[index]) ? after : value;
  }
  return isExactObject(value) ? renameKeys(value, from, to) : value;
}

function renameKeys(body: Record<string, unknown>, from: string, to: string): Record<string, unknown> {
  let changed = from in body || to in body;
  const copy: Record<string, unknown> = emptyObject();
  for (const [key, before] of Object.entries(body)) {
    // Only the configured name counts: a body that has only another name is from another deployment.
    if (key === to) continue;
    const after = rename(before, from, to);
    if (after !== before) changed = true;
    copy[key === from ? to : key] = after;
  }
  return changed ? copy : body;
}
