/** Defects that only a chain can show: the record is correct, the payment is not. They need local chains. */
import { type DefectShape, type DeliveryFault, dated, RELEASED } from './defect.ts';

const TOKENS = ['ETH_USDC', 'MATIC_USDC', 'BASE_USDC', 'ARBITRUM_USDC', 'SOLANA_USDC'] as const;
/** On Bitcoin no transaction fails, and there are no tokens. */
const EXECUTED = ['ETH_ETH', 'MATIC_MATIC', 'BASE_ETH', 'SOLANA_SOL'] as const;
const COINS = [...EXECUTED, 'BTC_BTC'] as const;
const ANY = [...TOKENS, ...COINS] as const;

/** The code of each fault that has one alone. */
const CODES = {
  missing: 'DELIVERY_NOT_FOUND',
  reverted: 'DELIVERY_REVERTED',
  stranger: 'DELIVERY_TO_OTHER_ADDRESS',
  'look-alike': 'DELIVERY_OF_OTHER_ASSET',
  short: 'DELIVERY_AMOUNT_DIFFERS',
  late: 'DELIVERY_LATE',
  pending: 'DELIVERY_NOT_FINAL',
} as const satisfies Partial<Record<DeliveryFault, string>>;
type Fault = keyof typeof CODES;

const delivery = (fault: Fault, assets: readonly string[], says: string): DefectShape => {
  return { says, codes: [CODES[fault]], wants: { ...RELEASED, assets }, delivery: fault };
};

/** Of a finished sale, whose crypto came in well before the first night. */
const deposit = (fault: Fault, says: string): DefectShape => ({
  says,
  codes: [CODES[fault]],
  wants: { ageHours: [72, 240], kind: 'sale', linking: 'linked', assets: ANY, statuses: ['RELEASED', 'RELEASED'] },
  observedOnly: true,
  body: dated,
  delivery: fault,
});

export const DELIVERY_DEFECTS: Readonly<Record<string, DefectShape>> = {
  'delivery-missing': delivery('missing', COINS, 'The transaction that the purchase names is on no chain.'),
  'delivery-reverted': delivery('reverted', EXECUTED, 'The transaction failed on the chain.'),
  'delivery-to-stranger': delivery('stranger', ANY, 'The transaction pays the amount to another address.'),
  'delivery-of-look-alike': delivery('look-alike', TOKENS, 'The transaction pays in a token of another contract.'),
  'delivery-short': delivery('short', ANY, 'The transaction pays 1 % less than the purchase is for.'),
  'delivery-late': delivery('late', COINS, 'The transaction was made thirty hours after the release.'),
  'delivery-pending': delivery(
    'pending',
    COINS,
    'The transaction waits for one that was never sent, and is in no block.',
  ),
  'delivery-reused': {
    says: "The purchase is a copy of an earlier one, that one's transaction included, under an id of its own.",
    codes: ['DELIVERY_REUSED', 'TX_REUSED'],
    wants: RELEASED,
    withoutQuote: true,
    copiesOlder: true,
    delivery: 'reused',
  },
  'deposit-missing': deposit('missing', 'The transaction that the sale names is on no chain.'),
  'deposit-to-stranger': deposit(
    'stranger',
    'The transaction that the sale names pays another address than the escrow.',
  ),
  'deposit-short': deposit('short', 'The deposit is 1 % less than the sale is for.'),
};
