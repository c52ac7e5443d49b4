import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Job, JobResult } from '../../src/ports/job.ts';
import type { PastBreakEvent } from '../../src/ports/store/breaks.ts';
import type { CurrentBreak } from '../../src/ports/store/store.ts';
import { emptyTally } from '../../src/reconcile/tally.ts';
import { LockHeldError } from '../../src/runner/lease.ts';
import { createNotifier, type NotifierSettings, runAnnounced } from '../../src/runner/notify.ts';
import { beatUrl, fetchPost, NotSentError, type PostText, sendChat } from '../../src/runner/notify-http.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { aRun, HOURLY, NIGHTLY } from './support/ledger.ts';

const NOBODY: NotifierSettings = {
  heartbeatUrl: null,
  webhookUrl: null,
  email: null,
  smtpPassword: null,
  stormCap: 200,
};
const HEARTBEAT = { ...NOBODY, heartbeatUrl: 'https://hc.example/ping/abc' };
const CHAT = { ...NOBODY, webhookUrl: 'https://hooks.example/services/T1/B2' };

/** A notifier whose requests are kept; `post` answers instead of the network. */
function aNotifier(
  settings: NotifierSettings,
  options: {
    post?: PostText;
    breaks?: CurrentBreak[];
    runOf?: (breakId: string) => string;
    routine?: boolean;
    reminders?: string[];
    signal?: AbortSignal;
  } = {},
) {
  const sent: { url: string; body: string }[] = [];
  const mails: string[] = [];
  const warnings: string[] = [];
  const slept: number[] = [];
  const asked: string[] = [];
  const notifier = createNotifier({
    settings,
    breaks: {
      list: async ({ rule }) => {
        asked.push(rule ?? '');
        return (options.breaks ?? []).filter((each) => each.rule === rule);
      },
      events: async (breakId) => [{ type: 'opened', runId: options.runOf?.(breakId) } as PastBreakEvent],
    },
    scrub: (text) => text.replaceAll('hunter2', '[secret]'),
    warn: (message) => void warnings.push(message),
    sleep: async (ms) => void slept.push(ms),
    ...(options.routine === undefined ? {} : { routine: options.routine }),
    ...(options.reminders === undefined ? {} : { reminders: async () => options.reminders ?? [] }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    post: async (url, type, body) => {
      sent.push({ url, body });
      return (await options.post?.(url, type, body)) ?? 200;
    },
    mail: async ({ to }, password, { title, lines }) => void mails.push([to, password, title, ...lines].join('|')),
  });
  return { notifier, sent, mails, warnings, slept, asked };
}

const aResult = (job: string, fresh = 0, state: 'complete' | 'incomplete' = 'complete'): JobResult => ({
  outcome: 'reconciled',
  run: aRun(job, '2026-11-20', state),
  tally: {
    ...emptyTally(),
    notReached: state === 'incomplete' ? 1 : 0,
    breaks: { open: fresh, opened: fresh, reopened: 0, resolved: 0, waived: 0 },
    rules: new Map(fresh === 0 ? [] : [['STATUS_STUCK', { severity: 'medium', open: fresh, fresh }]]),
  },
  folder: '',
  requests: 0,
});

const appThat = (work: () => Promise<JobResult>) => ({
  run: async (_job: Job, options: { onStarted?: () => void }) => {
    options.onStarted?.();
    return work();
  },
});
const ORDERS = { businessDate: '2026-11-20', selection: null, resume: false, maxDurationMs: null, maxRequests: null };

describe('the heartbeat', () => {
  it.each([
    ['success', 'https://hc.example/ping/abc'],
    ['start', 'https://hc.example/ping/abc/start'],
    ['fail', 'https://hc.example/ping/abc/fail'],
  ] as const)('of %s goes to %s', (beat, url) => {
    expect(beatUrl('https://hc.example/ping/abc', beat)).toBe(url);
  });

  it('keeps a query, and doubles no slash', () => {
    expect(beatUrl('https://hc.example/abc/?rid=7', 'fail')).toBe('https://hc.example/abc/fail?rid=7');
  });

  it.each<[string, () => Promise<JobResult>, string[]]>([
    ['a run that is complete', async () => aResult('nightly', 3), ['/start', '']],
    ['one that is incomplete', async () => aResult('nightly', 0, 'incomplete'), ['/start', '/fail']],
    ['one that fails', () => Promise.reject(new Error('x')), ['/start', '/fail']],
    [
      'one that a signal stops',
      async () => ({ outcome: 'stopped', run: aRun('nightly', '2026-11-20', 'fetching') }),
      ['/start'],
    ],
  ])('of %s', async (_, work, beats) => {
    const { notifier, sent } = aNotifier(HEARTBEAT);
    await runAnnounced(appThat(work), NIGHTLY, ORDERS, notifier).catch(() => undefined);
    expect(sent.map(({ url }) => url.replace('https://hc.example/ping/abc', ''))).toEqual(beats);
  });

  it('is silent for a run that was refused', async () => {
    const { notifier, sent } = aNotifier({ ...HEARTBEAT, webhookUrl: CHAT.webhookUrl });
    const refused = { run: () => Promise.reject(new LockHeldError('nightly', 'somebody', 0)) };
    await expect(runAnnounced(refused, NIGHTLY, ORDERS, notifier)).rejects.toThrow(LockHeldError);
    expect(sent).toEqual([]);
  });

  it('is not given by small jobs: their success would hide a night that never came', async () => {
    const { notifier, sent } = aNotifier(HEARTBEAT);
    const refreshed: JobResult = { outcome: 'refreshed', captured: ['assets'], failed: [], requests: 1 };
    await runAnnounced(
      appThat(async () => refreshed),
      HOURLY,
      ORDERS,
      notifier,
    );
    expect(sent).toEqual([]);
  });
});

describe('a message', () => {
  it('is one per run, as Slack takes it', async () => {
    const { notifier, sent } = aNotifier(CHAT);
    await notifier.ended(NIGHTLY, aResult('nightly'));
    expect(sent).toHaveLength(1);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      text: '*Tieout: nightly for 2026-11-20 is complete: 0 new breaks, 0 open*\n0 records: 0 matched, 0 pending, 0 break, 0 unverified, 0 quarantined, 0 waived\nBreaks: 0 open; 0 new, 0 reopened, 0 resolved, 0 waived',
    });
  });

  it('of a night has the claims to ask about; that of a smaller job has none', async () => {
    for (const [job, times] of [
      [NIGHTLY, 1],
      [HOURLY, 0],
    ] as const) {
      const { notifier, sent } = aNotifier(CHAT, { reminders: ['Claim to ask about: claim-1'] });
      await runAnnounced(
        appThat(async () => aResult(job.name, 1)),
        job,
        ORDERS,
        notifier,
      );
      expect(sent.filter(({ body }) => body.includes('Claim to ask about: claim-1'))).toHaveLength(times);
    }
  });

  it('cannot notify a whole channel, with any text of a record', async () => {
    const bodies: string[] = [];
    const post: PostText = async (_url, _type, body) => {
      bodies.push(body);
      return 200;
    };
    await sendChat(post, 'https://hooks.example', {
      title: 'a & b',
      lines: ['<!channel> <https://evil.example|click>'],
    });
    expect(JSON.parse(bodies[0] ?? '')).toEqual({
      text: '*a &amp; b*\n&lt;!channel&gt; &lt;https://evil.example|click&gt;',
    });
  });

  it('names each break that this very run opened', async () => {
    const aBreak = (breakId: string, recordId: string, firstSeenDate = '2026-11-20') =>
      ({
        breakId,
        rule: 'STATUS_STUCK',
        kind: 'purchase',
        recordId,
        state: 'open',
        firstSeenDate,
        lastSeenDate: '2026-11-20',
        explanation: `explained ${recordId}`,
      }) as CurrentBreak;
    const { notifier, sent } = aNotifier(CHAT, {
      breaks: [aBreak('b1', 'old', '2026-11-12'), aBreak('b2', 'recheck'), aBreak('b3', 'tonight')],
      runOf: (breakId) => (breakId === 'b3' ? 'nightly-2026-11-20-r1' : 'recheck-2026-11-20-r4'),
    });
    await notifier.ended(NIGHTLY, aResult('nightly', 1));
    expect(sent[0]?.body).toContain('purchase tonight: explained tonight');
    expect(sent[0]?.body).not.toContain('explained old');
    expect(sent[0]?.body).not.toContain('explained recheck');
  });

  it('names them in a mail as well', async () => {
    const { notifier, mails } = aNotifier(
      { ...NOBODY, email: { url: 'smtp://mail.example', from: 'a@example.com', to: ['b@example.com'] } },
      {
        breaks: [aCurrentBreak({ rule: 'STATUS_STUCK', recordId: 'tonight', firstSeenDate: '2026-11-20' })],
        runOf: () => 'nightly-2026-11-20-r1',
      },
    );
    await notifier.ended(NIGHTLY, aResult('nightly', 1));
    expect(mails.join()).toContain('purchase tonight: The user paid more.');
  });

  it('of a small job lists reopened breaks, also where as many are new', async () => {
    const { notifier, sent } = aNotifier(CHAT);
    const result = aResult('recheck');
    if (result.outcome !== 'reconciled') throw new Error('not reconciled');
    for (const opened of [0, 1]) {
      const breaks = { ...result.tally.breaks, opened, reopened: 1 };
      await notifier.ended(HOURLY, { ...result, tally: { ...result.tally, breaks } });
    }
    expect(sent).toHaveLength(2);
  });

  it('does not even ask for the breaks of a storm', async () => {
    const { notifier, sent, asked } = aNotifier({ ...CHAT, stormCap: 2 });
    await notifier.ended(NIGHTLY, aResult('nightly', 3));
    expect(asked).toEqual([]);
    expect(sent[0]?.body).toContain('STATUS_STUCK (medium): 3 new breaks, announced as one');
  });

  it('holds no secret and no line break of others', async () => {
    const { notifier, mails } = aNotifier({
      ...NOBODY,
      email: { url: 'smtp://mail.example', from: 'a@example.com', to: ['b@example.com'] },
      smtpPassword: 'p',
    });
    await notifier.failed(NIGHTLY, '2026-11-20', new Error('GET ?secret=hunter2\r\nBcc: everybody@example.com'));
    expect(mails).toEqual([
      'b@example.com|p|Tieout: nightly for 2026-11-20 FAILED|GET ?secret=[secret] Bcc: everybody@example.com|Nothing was published. See docs/how-to/operating.md for what to do.',
    ]);
  });

  it('of a small job is for news only: new breaks, the first failure, the end of failing', async () => {
    const { notifier, sent } = aNotifier(CHAT);
    const titles = () => sent.map(({ body }) => /\*(.*?)\*/.exec(body)?.[1]);
    await notifier.ended(HOURLY, aResult('recheck'));
    expect(titles()).toEqual([]);
    await notifier.ended(HOURLY, aResult('recheck', 1));
    for (let time = 0; time < 3; time++) await notifier.failed(HOURLY, null, new Error('x'));
    await notifier.ended(HOURLY, { outcome: 'refreshed', captured: [], failed: ['assets'], requests: 1 });
    await notifier.ended(HOURLY, { outcome: 'refreshed', captured: ['assets'], failed: [], requests: 1 });
    expect(titles()).toEqual([
      'Tieout: recheck for 2026-11-20 is complete: 1 new break, 1 open',
      'Tieout: reference-data FAILED',
      'Tieout: reference-data works again',
    ]);
  });

  it('of a night lists each failure', async () => {
    const { notifier, sent } = aNotifier(CHAT);
    for (let time = 0; time < 2; time++) await notifier.failed(NIGHTLY, '2026-11-20', new Error('x'));
    expect(sent).toHaveLength(2);
  });

  it('reports a job that captured nothing, and not one that captured a part', async () => {
    const { notifier, sent } = aNotifier(CHAT);
    await notifier.ended(HOURLY, { outcome: 'refreshed', captured: [], failed: [], requests: 0 });
    await notifier.ended(HOURLY, { outcome: 'refreshed', captured: ['assets'], failed: ['limits'], requests: 2 });
    expect(sent).toEqual([]);
    await notifier.ended(HOURLY, { outcome: 'refreshed', captured: [], failed: ['assets', 'limits'], requests: 2 });
    expect(sent.map(({ body }) => body).join()).toContain('nothing was captured: assets; limits');
  });

  it('that cannot be written costs no heartbeat', async () => {
    const { notifier, sent, warnings } = aNotifier(
      { ...HEARTBEAT, webhookUrl: CHAT.webhookUrl },
      {
        runOf: () => {
          throw new Error('the database is away, says hunter2');
        },
        breaks: [aCurrentBreak({ rule: 'STATUS_STUCK', firstSeenDate: '2026-11-20' })],
      },
    );
    await notifier.ended(NIGHTLY, aResult('nightly', 1));
    expect(sent).toEqual([{ url: HEARTBEAT.heartbeatUrl, body: 'nightly ended' }]);
    expect(warnings).toEqual([
      'the message about nightly could not be written: Error: the database is away, says [secret]',
    ]);
  });

  it('of a small job is none where each process sees one run only', async () => {
    const { notifier, sent } = aNotifier(CHAT, { routine: false });
    await notifier.failed(HOURLY, null, new Error('x'));
    expect(sent).toEqual([]);
  });
});

describe('what cannot be sent', () => {
  it('is tried three times, logged, and fails nothing', async () => {
    const { notifier, sent, warnings, slept } = aNotifier(HEARTBEAT, { post: async () => 503 });
    const result = await runAnnounced(
      appThat(async () => aResult('nightly')),
      NIGHTLY,
      ORDERS,
      notifier,
    );
    expect(result.outcome).toBe('reconciled');
    expect(sent).toHaveLength(6);
    expect(slept).toEqual([1000, 5000, 1000, 5000]);
    expect(warnings).toEqual([
      'the heartbeat (start) could not be sent: it answered 503',
      'the heartbeat (success) could not be sent: it answered 503',
    ]);
  });

  it.each([199, 300, 404])('is what is answered by %i', async (status) => {
    await expect(sendChat(async () => status, 'https://hooks.example', { title: 'a', lines: [] })).rejects.toThrow(
      new NotSentError(`it answered ${status}`),
    );
  });

  it.each([200, 204, 299])('is not what is answered by %i', async (status) => {
    await expect(
      sendChat(async () => status, 'https://hooks.example', { title: 'a', lines: [] }),
    ).resolves.toBeUndefined();
  });

  it('is not an answer without a body', async () => {
    const server = createServer((_request, response) => response.writeHead(204).end());
    const port = await listenLocally(server);
    expect(await fetchPost(`http://127.0.0.1:${port}/`, 'text/plain', 'x')).toBe(204);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is not tried again by a process that is to end', async () => {
    const stop = new AbortController();
    stop.abort();
    const { notifier, sent, slept } = aNotifier(HEARTBEAT, { post: async () => 503, signal: stop.signal });
    await notifier.ended(NIGHTLY, aResult('nightly'));
    expect([sent.length, slept]).toEqual([1, []]);
  });

  it('reveals neither the address nor its answer', async () => {
    const server = createServer((_request: IncomingMessage, response) => {
      response.statusCode = 302;
      response.setHeader('location', 'http://127.0.0.1:1/elsewhere');
      response.end('hunter2');
    });
    const port = await listenLocally(server);
    expect(await fetchPost(`http://127.0.0.1:${port}/services/T1/B2`, 'text/plain', 'x')).toBe(302);
    await new Promise((resolve) => server.close(resolve));
    const refused = await fetchPost(`http://127.0.0.1:${port}/services/T1/B2`, 'text/plain', 'x').catch(
      (e: unknown) => e,
    );
    expect(refused).toBeInstanceOf(NotSentError);
    expect((refused as Error).message).toBe('ECONNREFUSED');
    expect((refused as Error).cause).toBeInstanceOf(TypeError);
  });
});
