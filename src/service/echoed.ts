/**
 * A view token outside its own field. No report, log or column may contain it, so it is removed from a body before
 * the body is read; its field is then drift, because its real value is unknown.
 */
import type { KnownSecrets } from '../text/secret-forms.ts';
import { type ExactJson, emptyObject, isExactObject } from './exact-json.ts';
import { EchoedSecret, ExactNumber } from './wire/exact-number.ts';
import { isTokenField } from './wire/token-fields.ts';

/** The value with an `EchoedSecret` for each scalar that has one of the secrets in it, however encoded. */
export function withoutEchoes(value: ExactJson, known: KnownSecrets): ExactJson {
  if (typeof value === 'string') return known.isIn(value) ? new EchoedSecret() : value;
  if (value instanceof ExactNumber) return known.isIn(value.text) ? new EchoedSecret() : value;
  if (Array.isArray(value)) return value.map((item) => withoutEchoes(item, known));
  if (!isExactObject(value)) return value;
  const object = emptyObject();
  for (const [name, field] of Object.entries(value)) {
    const isOwn = isTokenField(name) && typeof field === 'string';
    object[known.cut(name, '[cut]')] = isOwn ? field : withoutEchoes(field, known);
  }
  return object;
}
