import { describe, expect, it } from 'vitest';
import { burst } from '../../../bench/webhooks/burst.ts';

/** The short form of `node bench/webhooks/run.ts`: three processes, one SQLite file. */
const SHORT = { deliveries: 100, seconds: 0.5, records: 40, nightPerSecond: 20 };

describe('a burst of webhooks while a night runs in another process on the same file', () => {
  it('is taken without loss, each once, and neither process disturbs the other', async () => {
    const result = await burst(SHORT);
    expect(result).toMatchObject({
      sent: 100,
      acknowledged: 100,
      answers: { 200: 100 },
      lost: 0,
      doubled: 0,
      night: { state: 'complete', verified: 40 },
      // 143: stopped by SIGTERM, after everything that was accepted.
      serveExitCode: 143,
    });
    // It met the night, or it has shown nothing.
    expect(result.duringNight).toBeGreaterThan(0);
  });

  it('loses nothing that was acknowledged when the receiver is killed in the midst of it', async () => {
    const result = await burst({ ...SHORT, killAfter: 0.5 });
    expect(result.acknowledged).toBeGreaterThan(0);
    expect(result.acknowledged).toBeLessThan(100);
    expect(result).toMatchObject({ lost: 0, doubled: 0 });
  });
});
