/**
 * A view token that comes back outside its own field. No report, log or column may get it, so it is taken out of a body
 * before anything is read from it; the field that had it is then drift, because what it really says is not known.
 */
import type { KnownSecrets } from '../domain/secret-forms.ts';
import { type ExactJson, type ExactObject, isExactObject } from './exact-json.ts';
import { EchoedSecret, ExactNumber } from './wire/exact-number.ts';
import { isTokenField } from './wire/token-fields.ts';

/**
 * The value with an `EchoedSecret` for each scalar that has one of the secrets in it, however encoded. The value itself
 * where there is none.
 */
export function withoutEchoes(value: ExactJson, text: string, known: KnownSecrets): ExactJson {
  // Nearly every body has its token in its own field only, and most have none.
  return known.isIn(text) ? cleaned(value, known) : value;
}

function cleaned(value: ExactJson, known: KnownSecrets): ExactJson {
  if (typeof value === 'string') return known.isIn(value) ? new EchoedSecret() : value;
  if (value instanceof ExactNumber) return known.isIn(value.text) ? new EchoedSecret() : value;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, known));
  if (!isExactObject(value)) return value;
  const object: ExactObject = Object.create(null);
  for (const [name, field] of Object.entries(value)) {
    const isOwn = isTokenField(name) && typeof field === 'string';
    object[known.cut(name, '[cut]')] = isOwn ? field : cleaned(field, known);
  }
  return object;
}
