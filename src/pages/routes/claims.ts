/** Claims against the Service: the list with its ageing, one claim, its pack. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { businessDateOf, isBusinessDate } from '../../domain/calendar.ts';
import { CLAIM_STATES, type Claim } from '../../domain/claim.ts';
import { Decimal } from '../../domain/decimal.ts';
import { UsageError } from '../../domain/errors.ts';
import { ClaimMovedOnError } from '../../ports/store/errors.ts';
import { claimable, claimSums } from '../../worklist/claims.ts';
import { causeText } from '../../worklist/groups.ts';
import type { PagesEdges } from '../contract.ts';
import { note } from '../people.ts';
import { done, download, field, filled, NotFoundError, param, personIn, queryOf, send } from '../request.ts';
import { claimHtml, claimsHtml, newClaimHtml, versionOf } from '../views/claims.ts';
import type { Groups } from './groups.ts';
import { breaksOf, type Target, targetIn } from './target.ts';

const SHOWN = 500;
const AMOUNT = /^\d{1,30}(?:\.\d{1,18})?$/;

export function claimRoutes(app: FastifyInstance, edges: PagesEdges, groups: Groups): void {
  const { store, settings } = edges;
  const titleOf = async ({ group, chosen }: Target): Promise<string> => {
    if (group !== '') return causeText(await groups.get(group)).slice(0, 200);
    const [only] = chosen.length === 1 ? await store.workList.byIds(chosen) : [];
    return only === undefined ? '' : `${only.rule} on ${only.kind} ${only.recordId}`;
  };
  const [view, work] = [{ config: { permission: 'view' as const } }, { config: { permission: 'work' as const } }];

  app.get('/claims', view, async (request, reply) => {
    const claims = await store.claims.list({ limit: SHOWN });
    const rows = await Promise.all(
      claims.map(async (claim) => ({ claim, sums: claimSums(await store.claims.items(claim.claimId)) })),
    );
    const today = businessDateOf(edges.now(), settings.timezone);
    return send(request, reply, {
      title: 'Claims',
      at: '/claims',
      body: claimsHtml(rows, { now: edges.now(), today }),
    });
  });

  const read = async (query: URLSearchParams) => {
    const target = targetIn(query);
    const breaks = await breaksOf(target, edges, groups);
    const records = await store.workList.ofSameRecords(breaks.map(({ breakId }) => breakId));
    const taken = await store.claims.ofBreaks(records.map(({ breakId }) => breakId));
    return { target, ...claimable(breaks, { records, taken }) };
  };

  app.get('/claims/new', { config: { permission: 'work', query: 'own' } }, async (request, reply) => {
    const found = await read(queryOf(request));
    const suggested = await titleOf(found.target);
    const body = (frame: Parameters<typeof newClaimHtml>[0]) => newClaimHtml(frame, { ...found, title: suggested });
    return send(request, reply, { title: 'Claim from the Service', at: '/claims', body });
  });

  app.post('/claims', work, async (request, reply) => {
    const { breakIds } = await read(new URLSearchParams(field(request, 'query')));
    if (field(request, 'version') !== versionOf(breakIds))
      throw new UsageError('the breaks have changed since the page was opened, so nothing is claimed; open it again');
    const { actor } = personIn(request);
    const [title, reason] = [filled(request, 'title', 'the title', 200), filled(request, 'reason', 'the reason')];
    const claim = await edges.openClaim(breakIds, { title, reason, actor });
    await note(edges, actor, { action: 'claim.open', subject: claim.claimId, outcome: 'done' });
    const said = 'The claim is open. Download its pack, send it, then say so here.';
    return done(request, reply, `/claims/${claim.claimId}`, said);
  });

  app.get('/claims/:claim', view, async (request, reply) => {
    const claim = await claimIn(request, edges);
    const items = await store.claims.items(claim.claimId);
    const [events, breaks] = await Promise.all([
      store.claims.events(claim.claimId),
      store.workList.byIds(items.slice(0, SHOWN).map(({ breakId }) => breakId)),
    ]);
    const body = (frame: Parameters<typeof claimHtml>[0]) => claimHtml(frame, { claim, items, events, breaks });
    return send(request, reply, { title: claim.title, at: '/claims', body });
  });

  app.get('/claims/:claim/pack.zip', view, async (request, reply) => {
    const claim = await claimIn(request, edges);
    return download(reply, 'application/zip', `${claim.claimId}.zip`, await edges.packClaim(claim));
  });

  app.post('/claims/:claim', work, async (request, reply) => {
    const claim = await claimIn(request, edges);
    if (field(request, 'events') !== String(claim.events)) throw new ClaimMovedOnError(claim.claimId);
    const state = CLAIM_STATES.find((each) => each === field(request, 'state'));
    if (state === undefined) throw new UsageError('choose the state of the claim');
    const remindOn = field(request, 'remind');
    if (remindOn !== '' && !isBusinessDate(remindOn))
      throw new UsageError(`reminder ${remindOn}: write it as 2026-12-31`);
    const { actor } = personIn(request);
    const items = await store.claims.items(claim.claimId);
    const currencies = claimSums(items).map(({ currency }) => currency);
    const breakIds = items.map(({ breakId }) => breakId);
    const change = {
      state,
      reference: field(request, 'reference') === '' ? null : filled(request, 'reference', 'the reference', 200),
      remindOn: remindOn === '' ? null : remindOn,
      recovered: amountsIn(request, 'recovered', currencies),
      recoveredOf: amountsIn(request, 'of', breakIds),
    };
    await edges.updateClaim(claim, change, { reason: filled(request, 'reason', 'the reason'), actor });
    await note(edges, actor, { action: `claim.${state}`, subject: claim.claimId, outcome: 'done' });
    return done(request, reply, `/claims/${claim.claimId}`, `The claim is ${state}.`);
  });
}

/** @throws NotFoundError */
async function claimIn(request: FastifyRequest, { store }: PagesEdges): Promise<Claim> {
  const id = param(request, 'claim');
  const found = /^claim-[0-9a-f]{12}$/.test(id) ? await store.claims.get(id) : null;
  if (found === null) throw new NotFoundError('There is no such claim.');
  return found;
}

/** Fields `recovered:EUR` or `of:BREAK` and so on; empty ones are left out. @throws UsageError */
function amountsIn(request: FastifyRequest, name: string, keys: readonly string[]): ReadonlyMap<string, Decimal> {
  const given = new Map<string, Decimal>();
  for (const key of keys) {
    const text = field(request, `${name}:${key}`);
    if (text === '') continue;
    if (!AMOUNT.test(text))
      throw new UsageError(`recovered ${key.slice(0, 12)} ${text.slice(0, 40)}: write it as 12.50`);
    given.set(key, Decimal.parse(text));
  }
  return given;
}
