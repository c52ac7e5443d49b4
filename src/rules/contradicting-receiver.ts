/** Receivers that the crypto of a record cannot have gone to (RECORD_CONTRADICTS_ITSELF). */
import { addressKind, looksLikeAddress } from '../domain/addresses/chains.ts';
import { evm } from '../domain/addresses/forms.ts';
import { contractOf, sameAddress } from '../domain/asset.ts';
import { promisingQuote } from '../domain/quote.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { type Check, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';

/** A memo may follow the address. */
function addressIn(receiver: string): string {
  const end = receiver.search(/[:?]/);
  return end < 0 ? receiver : receiver.slice(0, end);
}

/** By the body, else by its quote, or by the listing of its contract; empty where nothing tells it. */
function chainOf(state: RecordState, { quote, reference }: RuleInput): string {
  const { asset } = state;
  const listed = contractOf(asset) === null ? null : reference.asset;
  const telling = [asset, promisingQuote(quote, state)?.quote.asset, listed].find(
    (each) => each && each.chain !== '' && each.chainPresumed !== true,
  );
  return telling?.chain ?? '';
}

/**
 * Another form is a break. The right form with a wrong checksum is a remark: no chain reads the capitals of an EVM address (EIP-55), and the
 * body alone does not show whether the crypto went to another address or only its copy in the body is mistyped.
 */
function noAddress(state: RecordState, input: RuleInput): RuleFinding | null {
  const { kind, receiverAddress } = state;
  if (receiverAddress === null) return null;
  const text = addressIn(receiverAddress);
  const chain = chainOf(state, input);
  const known = addressKind(chain);
  const form = known?.form ?? evm;
  const answer = form(text);
  if (known !== undefined && (answer === 'form' || !looksLikeAddress(chain, text))) {
    const explanation = `The ${kind} is on ${chain}, but its receiver ${receiverAddress} is not ${known.name}.`;
    return plainFinding('receiver_address', receiverAddress, explanation, known.name);
  }
  if (answer === 'valid' || answer === 'form') return null;
  const explanation =
    form === evm
      ? `The capitals in the receiver of the ${kind} (${receiverAddress}) are not its checksum: the address may be mistyped.`
      : `The receiver of the ${kind} (${receiverAddress}) looks like ${known?.name}, but its checksum is wrong: the address may be mistyped.`;
  return { ...plainFinding('receiver_address', receiverAddress, explanation), severity: 'info' };
}

/** What is sent to a token's own contract, or to the address of all zeros, is lost. */
function sentToNoUser({ kind, asset, receiverAddress }: RecordState): RuleFinding | null {
  if (kind === 'sale' || receiverAddress === null) return null;
  const isContract = sameAddress(receiverAddress, asset.address);
  if (!isContract && !/^0x0{40}$/.test(receiverAddress)) return null;
  return plainFinding(
    'receiver_address',
    receiverAddress,
    `The receiver of the purchase is ${isContract ? "the token's own contract" : 'the address of all zeros'} (${receiverAddress}): nobody has its key.`,
  );
}

/** A body without the field has said nothing, and is counted with those that lack it; an empty one says that there is no receiver. */
function sentToNobody({ kind, status, receiverAddress, lacks }: RecordState): RuleFinding | null {
  if (kind === 'sale' || receiverAddress !== null || !hasReleased({ kind, status })) return null;
  const says = lacks?.includes('receiverAddress') === false;
  return {
    field: 'receiver_address',
    ...(says ? {} : { severity: 'info' as const }),
    expected: null,
    actual: null,
    explanation: `The purchase is ${status}, but its body names no address that its crypto was sent to.`,
  };
}

export const RECEIVER: readonly Check[] = [sentToNoUser, sentToNobody, noAddress];
