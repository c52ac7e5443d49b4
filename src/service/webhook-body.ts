/**
 * Delivered bodies: webhooks in their envelopes or bare (spec §6, field facts "Webhooks"), and SDK events that the
 * app's front end forwards. The record's kind and id must be readable; a body whose other fields are not is kept sealed.
 */
import { isRecordId, isViewToken, type Kind } from '../domain/record.ts';
import type { BodyReading } from '../ports/service.ts';
import { KnownSecrets } from '../text/secret-forms.ts';
import { receivedBody, sha256Of, withoutEchoes } from './evidence.ts';
import { type ExactJson, ExactJsonError, type ExactObject, isExactObject, parseExactJson } from './exact-json.ts';
import { normalisePurchase, normaliseSale } from './normalise-record.ts';
import { signedText } from './webhook-signature.ts';
import { isWireNumber, numberText } from './wire/exact-number.ts';

/** A webhook body. @param kind of the address: purchases and sales have different ones (spec §6). */
export function readWebhookBody(bytes: Buffer, kind: Kind, identifierName: string): BodyReading {
  const parsed = parse(bytes);
  if ('problem' in parsed) return { outcome: 'unusable', problem: parsed.problem };
  const { record, eventType } = unwrap(parsed.value, kind);
  if (record === null) return { outcome: 'unusable', problem: `it is not a ${kind}, neither bare nor in its envelope` };
  return delivered(bytes, parsed.text, kind, eventType, record, tokenOf(record), identifierName);
}

/** SDK events with a record in them (field facts "Webhooks"), and where it is. */
const EVENTS: Readonly<Record<string, { kind: Kind; field: string }>> = {
  PURCHASE_CREATED: { kind: 'purchase', field: 'purchase' },
  OFFRAMP_SALE_CREATED: { kind: 'sale', field: 'sale' },
};

/** An SDK event, with its facts in `payload` as the widget emits it, or beside `type`. An `apiUrl` in it is never used. */
export function readEventBody(bytes: Buffer, identifierName: string): BodyReading {
  const parsed = parse(bytes);
  if ('problem' in parsed) return { outcome: 'unusable', problem: parsed.problem };
  const { value, text } = parsed;
  const type = isExactObject(value) ? textOf(value.type) : null;
  if (!isExactObject(value) || type === null || type.length > 64)
    return { outcome: 'unusable', problem: 'it has no event type' };
  const event = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  if (event === undefined) return { outcome: 'no-record', eventType: type };
  const facts = isExactObject(value.payload) ? value.payload : value;
  const record = facts[event.field];
  if (!isExactObject(record)) return { outcome: 'unusable', problem: `a ${type} event must have a ${event.field}` };
  const token = tokenOf(facts) ?? tokenOf(record);
  return delivered(bytes, text, event.kind, type, record, token, identifierName);
}

function delivered(
  bytes: Buffer,
  text: string,
  kind: Kind,
  eventType: string | null,
  record: ExactObject,
  token: string | null,
  identifierName: string,
): BodyReading {
  const id = idOf(record);
  if (id === null) return { outcome: 'unusable', problem: `its ${kind} has no id that can be asked for` };
  if (token !== null && !isViewToken(token)) return { outcome: 'unusable', problem: 'its view token cannot be sent' };
  const normalise = kind === 'purchase' ? normalisePurchase : normaliseSale;
  const { body, isEchoed } = receivedBody(bytes, text, token);
  const clean = isEchoed ? withoutEchoes(record, new KnownSecrets(token === null ? [] : [token])) : record;
  const state = normalise(clean, identifierName);
  const said = signedText(text);
  // What is signed is the printed double: with more digits than can be read it is the same, and must not pass for the readable one.
  const content = `${state.ok ? '' : 'unreadable '}${said}`;
  const identity = said === null ? body.sha256 : sha256Of(Buffer.from(content, 'utf8'));
  return { outcome: 'record', delivered: { kind, id, token, eventType, body, identity, state } };
}

/** An envelope has a type and the record under a name of its own; without one the body itself is the record. */
function unwrap(value: ExactJson, kind: Kind): { record: ExactObject | null; eventType: string | null } {
  if (!isExactObject(value)) return { record: null, eventType: null };
  const inner = kind === 'purchase' ? value.purchase : value.payload;
  const eventType = textOf(value.type);
  if (isExactObject(inner)) return { record: eventType === null ? null : inner, eventType };
  const other = kind === 'purchase' ? value.crypto : value.cryptoAmount;
  // A bare body at the wrong address would be kept as a record that never existed.
  return { record: other === undefined ? value : null, eventType: null };
}

function parse(bytes: Buffer): { text: string; value: ExactJson } | { problem: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: parseExactJson(text) };
  } catch (error) {
    if (error instanceof ExactJsonError) return { problem: error.message };
    if (error instanceof TypeError) return { problem: 'it is not UTF-8' };
    throw error;
  }
}

/** Sales say `purchaseViewToken` in the specification (§2.8) and `saleViewToken` in the field. */
function tokenOf(record: ExactObject): string | null {
  return textOf(record.purchaseViewToken) ?? textOf(record.saleViewToken);
}

/** What is signed of a number is its printed double: `322e0` or digits beyond 2^53 would be another record under the same signature. */
const SIGNED_NUMBER = /^\d{1,15}$/;

function idOf({ id }: ExactObject): string | null {
  const number = isWireNumber(id) ? numberText(id) : '';
  const text = typeof id === 'string' ? id : SIGNED_NUMBER.test(number) ? number : '';
  return isRecordId(text) ? text : null;
}

function textOf(value: ExactJson | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
