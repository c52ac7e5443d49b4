/** Defects that only a chain can show: the record is correct, the payment is not. They need local chains. */
import { type DefectShape, dated, RELEASED } from './defect.ts';

const TOKENS = ['ETH_USDC', 'MATIC_USDC', 'BASE_USDC', 'ARBITRUM_USDC', 'SOLANA_USDC'] as const;
/** On Bitcoin no transaction fails, and there are no tokens. */
const EXECUTED = ['ETH_ETH', 'MATIC_MATIC', 'BASE_ETH', 'SOLANA_SOL'] as const;
const COINS = [...EXECUTED, 'BTC_BTC'] as const;
const ANY = [...TOKENS, ...COINS] as const;

/** Of a finished sale, whose crypto came in well before the first night. */
const DEPOSIT = {
  wants: { ageHours: [72, 240], kind: 'sale', linking: 'linked', assets: ANY, statuses: ['RELEASED', 'RELEASED'] },
  observedOnly: true,
  body: dated,
} as const satisfies Partial<DefectShape>;

export const DELIVERY_DEFECTS: Readonly<Record<string, DefectShape>> = {
  'delivery-missing': {
    says: 'The transaction that the purchase names is on no chain.',
    codes: ['DELIVERY_NOT_FOUND'],
    wants: { ...RELEASED, assets: COINS },
    delivery: 'missing',
  },
  'delivery-reverted': {
    says: 'The transaction failed on the chain.',
    codes: ['DELIVERY_REVERTED'],
    wants: { ...RELEASED, assets: EXECUTED },
    delivery: 'reverted',
  },
  'delivery-to-stranger': {
    says: 'The transaction pays the amount to another address.',
    codes: ['DELIVERY_TO_OTHER_ADDRESS'],
    wants: { ...RELEASED, assets: ANY },
    delivery: 'stranger',
  },
  'delivery-of-look-alike': {
    says: 'The transaction pays in a token of another contract.',
    codes: ['DELIVERY_OF_OTHER_ASSET'],
    wants: { ...RELEASED, assets: TOKENS },
    delivery: 'look-alike',
  },
  'delivery-short': {
    says: 'The transaction pays 1 % less than the purchase is for.',
    codes: ['DELIVERY_AMOUNT_DIFFERS'],
    wants: { ...RELEASED, assets: ANY },
    delivery: 'short',
  },
  'delivery-late': {
    says: 'The transaction was made thirty hours after the release.',
    codes: ['DELIVERY_LATE'],
    wants: { ...RELEASED, assets: COINS },
    delivery: 'late',
  },
  'delivery-pending': {
    says: 'The transaction waits for one that was never sent, and is in no block.',
    codes: ['DELIVERY_NOT_FINAL'],
    wants: { ...RELEASED, assets: COINS },
    delivery: 'pending',
  },
  'delivery-reused': {
    says: "The purchase is a copy of an earlier one, that one's transaction included, under an id of its own.",
    codes: ['DELIVERY_REUSED', 'TX_REUSED'],
    wants: RELEASED,
    withoutQuote: true,
    copiesOlder: true,
    delivery: 'reused',
  },
  'deposit-missing': {
    says: 'The transaction that the sale names is on no chain.',
    codes: ['DELIVERY_NOT_FOUND'],
    ...DEPOSIT,
    delivery: 'missing',
  },
  'deposit-to-stranger': {
    says: 'The transaction that the sale names pays another address than the escrow.',
    codes: ['DELIVERY_TO_OTHER_ADDRESS'],
    ...DEPOSIT,
    delivery: 'stranger',
  },
  'deposit-short': {
    says: 'The deposit is 1 % less than the sale is for.',
    codes: ['DELIVERY_AMOUNT_DIFFERS'],
    ...DEPOSIT,
    delivery: 'short',
  },
};
