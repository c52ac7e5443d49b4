/** A chain of Ethereum's form with one traced payment of coins, and events of a token, as JSON-RPC answers. */
import { type Served, serveJsonRpc } from '../local-chains/loopback.ts';

const BLOCKS = 40;
const PAID_IN = 11;
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const word = (text: string) => `0x${text.padStart(64, '0')}`;
const hashOf = (what: string, number: number) => word(`${what}${number.toString(16)}`);
const USER = `0x${'11'.repeat(20)}`;
const TOKEN = `0x${'22'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export async function serveEvm(since: number): Promise<{ served: Served; paid: string }> {
  const block = (number: number) => ({
    number: hex(number),
    hash: hashOf('b', number),
    timestamp: hex(since / 1000 + number * 3600),
    transactions: [hashOf('a', number)],
  });
  const numberOf = (tx: unknown): number | null => {
    const found = Array.from({ length: BLOCKS }, (_, number) => number).find((number) => hashOf('a', number) === tx);
    return found ?? null;
  };
  const transaction = (number: number) => ({
    hash: hashOf('a', number),
    blockHash: hashOf('b', number),
    blockNumber: hex(number),
    from: USER,
    to: TOKEN,
    value: '0x5',
    input: '0x12345678',
  });
  const receipt = (number: number) => ({
    transactionHash: hashOf('a', number),
    blockHash: hashOf('b', number),
    blockNumber: hex(number),
    status: '0x1',
    logs: [
      {
        address: TOKEN,
        topics: [TRANSFER, word('22'.repeat(20)), word('11'.repeat(20))],
        data: word('7'),
      },
    ],
  });
  const trace = { type: 'CALL', to: TOKEN, value: '0x5', calls: [{ type: 'CALL', to: USER, value: '0x3' }] };
  const served = await serveJsonRpc(async ({ method, params: [first] }) => {
    const number = numberOf(first);
    switch (method) {
      case 'eth_getBlockByNumber': {
        const wanted = first === 'finalized' || first === 'latest' ? BLOCKS - 1 : Number(first);
        return wanted < BLOCKS ? block(wanted) : null;
      }
      case 'eth_getTransactionByHash':
        return number === null ? null : transaction(number);
      case 'eth_getTransactionReceipt':
        return number === null ? null : receipt(number);
      case 'debug_traceTransaction':
        return trace;
      default:
        return null;
    }
  });
  return { served, paid: hashOf('a', PAID_IN) };
}
