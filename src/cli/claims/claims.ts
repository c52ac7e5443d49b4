/** `tieout claims open|list|show|pack|update`: breaks raised with the Service's support. */
import type { App } from '../../app/app.ts';
import { isOpen } from '../../domain/break.ts';
import { CLAIM_STATES, type Claim, type ClaimItem } from '../../domain/claim.ts';
import { showMoney } from '../../domain/currency.ts';
import { Decimal, DecimalSyntaxError } from '../../domain/decimal.ts';
import { UsageError } from '../../domain/errors.ts';
import { isoInstant } from '../../domain/record.ts';
import { ageOfClaim, type ClaimSum, claimSums, isSettled, openOf } from '../../worklist/claims.ts';
import { breaksNamed } from '../breaks/decide.ts';
import { command, type Register } from '../context.ts';
import { snakeCase } from '../output.ts';
import { statedActor } from '../person.ts';
import { readDate } from '../runs/run-job.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';
import { writePack } from '../write-file.ts';

export const register: Register = (program) => {
  command(program, 'claims open', {
    summary: 'Open a claim against the Service from breaks',
    details:
      'Claims, by currency, the money at stake of those breaks in which users lost money. A break is in one claim at a time.',
    examples: ['tieout claims open 3f9a1c 77ab02 --title "Card fees of October" --reason "5.9 % instead of 3.9 %"'],
  })
    .argument('<break...>', 'ids, or at least the first six characters of each')
    .requiredOption('--title <text>', 'title of the letter')
    .requiredOption('--reason <text>', 'reason to record')
    .option('--by <name>', 'name to record (default: the user of this machine)')
    .runsOnApp(async (app, session, ids, flags) => {
      const { openClaim } = await import('../../app/claims.ts');
      const breakIds = (await breaksNamed(app, ids)).map(({ breakId }) => breakId);
      const [title, reason] = [said('--title', flags.title), said('--reason', flags.reason)];
      const claim = await openClaim(app, breakIds, { title, reason, actor: statedActor(flags.by) });
      await show(session, app, claim);
    });

  command(program, 'claims list', {
    summary: 'List claims, newest first',
    examples: ['tieout claims list', 'tieout claims list --state sent --json'],
  })
    .choice('--state <state>', 'only claims in this state', CLAIM_STATES)
    .runsOnApp(async (app, { out }, { state }) => {
      const claims = await app.store.claims.list({ limit: 1000, ...(state === undefined ? {} : { states: [state] }) });
      const now = app.clock.wall.now();
      const rows = await Promise.all(
        claims.map(async (claim) => ({ claim, sums: claimSums(await app.store.claims.items(claim.claimId)) })),
      );
      const json = rows.map(({ claim, sums }) => {
        return { ...asJson(claim), amounts: sumsAsJson(claim, sums), age_days: ageOfClaim(claim, now) };
      });
      await out.list(
        json,
        rows,
        [
          { title: 'claim', cell: ({ claim }) => claim.claimId },
          { title: 'state', cell: ({ claim }) => claim.state },
          { title: 'days', cell: ({ claim }) => String(ageOfClaim(claim, now)), align: 'right' },
          { title: 'claimed', cell: ({ sums }) => amounts(sums, ({ claimed }) => claimed) },
          { title: 'recovered', cell: ({ sums }) => amounts(sums, ({ recovered }) => recovered) },
          { title: 'still open', cell: ({ claim, sums }) => amounts(sums, (sum) => openOf(claim, sum)) },
          { title: 'title', cell: ({ claim }) => claim.title, wide: true },
        ],
        'No claims.',
      );
    });

  command(program, 'claims show', {
    summary: 'Show a claim: its state, amounts, breaks and history',
    examples: ['tieout claims show claim-3f9a1c77ab02'],
  })
    .argument('<claim>', 'its id, or its first characters')
    .runsOnApp(async (app, session, id) => show(session, app, await claimNamed(app, id)));

  command(program, 'claims pack', {
    summary: 'Write the evidence of a claim as a ZIP: letter, table, quotes, bodies, hashes, signature',
    examples: ['tieout claims pack claim-3f9a1c77ab02', 'tieout claims pack claim-3f9a1c77ab02 --file october.zip'],
  })
    .argument('<claim>', 'its id, or its first characters')
    .option('--file <path>', 'file to write (default: <claim>.zip)')
    .runsOnApp(async (app, { out }, id, flags) => {
      const { packClaim } = await import('../../app/claims.ts');
      const claim = await claimNamed(app, id);
      const file = flags.file ?? `${claim.claimId}.zip`;
      await writePack(out, file, await packClaim(app, claim), { claim_id: claim.claimId });
      const closed = (await breaksOf(app, await app.store.claims.items(claim.claimId)))
        .filter(({ state }) => !isOpen(state))
        .map(({ breakId, state }) => `${breakId.slice(0, 12)} is ${state}`);
      if (!out.json && closed.length > 0 && !isSettled(claim, []))
        await out.line(`The letter claims breaks that were closed since: ${closed.join(', ')}.`);
    });

  command(program, 'claims update', {
    summary: 'Record the state of a claim',
    details:
      'States: open → sent → accepted or rejected; accepted → recovered; the rest of a partly recovered claim stays open ' +
      'until it is recovered, rejected or written off. Recovered money is spread over the breaks of its currency in the ' +
      'order of their ids, each up to what it claims; --recovered-of states what was recovered of one break.',
    examples: [
      'tieout claims update claim-3f9a1c77ab02 --state sent --reference T-4711 --reason "sent by mail"',
      'tieout claims update claim-3f9a1c77ab02 --state recovered --recovered 4310.00EUR --reason "credit note 12"',
      'tieout claims update claim-3f9a1c77ab02 --recovered-of 3f9a1c=4.50EUR --reason "the note names the records"',
    ],
  })
    .argument('<claim>', 'its id, or its first characters')
    .choice('--state <state>', 'new state', CLAIM_STATES)
    .option('--reference <text>', "reference of the Service's support")
    .option('--remind <date>', 'date from which notices name the claim')
    .option('--recovered <amount...>', 'total recovered amount with its currency, as 12.50EUR')
    .option('--recovered-of <part...>', 'recovered amount of one break, as 3f9a1c=4.50EUR')
    .requiredOption('--reason <text>', 'reason to record')
    .option('--by <name>', 'name to record (default: the user of this machine)')
    .runs(async (session, id, flags) => {
      const remindOn = readDate('--remind', flags.remind);
      const recovered = flags.recovered === undefined ? {} : { recovered: new Map(flags.recovered.map(amountOf)) };
      const [{ updateClaim }, app] = await Promise.all([import('../../app/claims.ts'), session.app()]);
      const claim = await claimNamed(app, id);
      const change = {
        state: flags.state ?? claim.state,
        ...(flags.reference === undefined ? {} : { reference: flags.reference }),
        ...(remindOn === null ? {} : { remindOn }),
        ...recovered,
        recoveredOf: partsOf(flags.recoveredOf ?? [], await app.store.claims.items(claim.claimId)),
      };
      const actor = statedActor(flags.by);
      await show(
        session,
        app,
        await updateClaim(app, claim, change, { reason: said('--reason', flags.reason), actor }),
      );
    });
};

function said(flag: string, text: string): string {
  if (text.trim() === '' || text.length > 2000) throw new UsageError(`${flag} must have 1 to 2000 characters`);
  return text.trim();
}

function amountOf(text: string): readonly [string, Decimal] {
  const [, amount = '', currency = ''] =
    /^(\d{1,40}(?:\.\d{1,40})?)\s{0,8}([A-Za-z][A-Za-z0-9_-]{0,39})$/.exec(text.trim()) ?? [];
  try {
    if (amount !== '') return [currency, Decimal.parse(amount)];
  } catch (error) {
    if (!(error instanceof DecimalSyntaxError)) throw error;
  }
  throw new UsageError(`--recovered ${text}: write it as 12.50EUR`);
}

/** `3f9a1c=4.50EUR`. @throws UsageError */
function partsOf(texts: readonly string[], items: readonly ClaimItem[]): ReadonlyMap<string, Decimal> {
  return new Map(
    texts.map((text) => {
      const [id = '', amount = ''] = text.split('=');
      const [currency, part] = amountOf(amount);
      const found = items.filter(({ breakId }) => id.length >= 6 && breakId.startsWith(id));
      const [item] = found;
      if (item === undefined || found.length > 1)
        throw new UsageError(`--recovered-of ${text}: no single break of the claim begins with ${id}`);
      if (item.currency !== currency)
        throw new UsageError(`--recovered-of ${text}: ${item.currency} was claimed for it`);
      return [item.breakId, part] as const;
    }),
  );
}

async function claimNamed(app: App, id: string): Promise<Claim> {
  const found = /^claim-[0-9a-f]{1,12}$/.test(id) ? await app.store.claims.get(id) : null;
  if (found === null)
    throw new UsageError(`there is no claim ${id}, or several ids begin with it; \`tieout claims list\` lists them`);
  return found;
}

const breaksOf = (app: App, items: readonly ClaimItem[]) =>
  app.store.workList.byIds(items.map(({ breakId }) => breakId));

const asJson = ({ events, ...claim }: Claim) => snakeCase(claim);

const sumsAsJson = (claim: Claim, sums: readonly ClaimSum[]) =>
  sums.map((sum) => ({ ...sum, open: openOf(claim, sum) }));

const amounts = (sums: readonly ClaimSum[], of: (sum: ClaimSum) => Decimal) =>
  sums.map((sum) => showMoney(of(sum), sum.currency)).join(', ');

async function show({ out }: Session, app: App, claim: Claim): Promise<void> {
  const [items, events] = [await app.store.claims.items(claim.claimId), await app.store.claims.events(claim.claimId)];
  const sums = claimSums(items);
  if (out.json) {
    const breaks = items.map(snakeCase);
    await out.value({ ...asJson(claim), amounts: sumsAsJson(claim, sums), breaks, events: events.map(snakeCase) });
    return;
  }
  await out.line(printable(`${claim.claimId}  ${claim.title}`));
  await out.pairs([
    ['state', claim.state],
    ['reference', claim.reference],
    ['opened', `${isoInstant(claim.openedAt)} by ${claim.openedBy}`],
    ['reminder', claim.remindOn],
    ['breaks', items.length],
    ['claimed', amounts(sums, ({ claimed }) => claimed)],
    ['recovered', amounts(sums, ({ recovered }) => recovered)],
    ['still open', amounts(sums, (sum) => openOf(claim, sum))],
    ...events.map(
      ({ at, state, name, proof, reason }) =>
        [isoInstant(at), `${state} by ${name} (${proof}): ${reason}`] as [string, string],
    ),
  ]);
  const breaks = new Map((await breaksOf(app, items)).map((each) => [each.breakId, each]));
  await out.line('');
  await out.table(
    [
      { title: 'break', cell: ({ breakId }) => breakId.slice(0, 12) },
      { title: 'state', cell: ({ breakId }) => breaks.get(breakId)?.state ?? '' },
      { title: 'rule', cell: ({ breakId }) => breaks.get(breakId)?.rule ?? '' },
      { title: 'record', cell: ({ breakId }) => breaks.get(breakId)?.recordId ?? '' },
      { title: 'claimed', cell: (item) => showMoney(item.claimed, item.currency), align: 'right' },
      { title: 'recovered', cell: (item) => showMoney(item.recovered, item.currency), align: 'right' },
    ],
    items,
  );
}
