import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/cli/logger.ts';
import { Scrubber } from '../../src/cli/scrub.ts';

function logging(human: boolean, level: 'info' | 'warn' = 'info') {
  const lines: string[] = [];
  const scrubber = new Scrubber();
  scrubber.add(['live-key-1']);
  const log = createLogger({ level, human, write: (line) => lines.push(line), scrub: (text) => scrubber.scrub(text) });
  return { log, lines };
}

describe('logs', () => {
  it('are JSON lines for machines', () => {
    const { log, lines } = logging(false);
    log.info({ kind: 'sale', attempts: 2 }, 'no quote for this record');
    const { time, ...line } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(line).toEqual({ level: 'info', name: 'tieout', kind: 'sale', attempts: 2, msg: 'no quote for this record' });
  });

  it('are short lines for people', () => {
    const { log, lines } = logging(true);
    log.warn({ kind: 'sale', attempts: 2 }, 'no quote\u001b[2J');
    expect(lines[0]?.slice(8)).toBe(' warn  no quote\\x1b[2J kind=sale attempts=2\n');
  });

  it('are quiet below their level', () => {
    const { log, lines } = logging(false, 'warn');
    log.info('chatter');
    expect(lines).toEqual([]);
  });

  it('never hold a secret: by name, by place, or by value', () => {
    const { log, lines } = logging(false);
    log.info({ token: 'aaa1', record: { view_token: 'aaa2' }, call: { query: { hostApiKey: 'aaa3' } } }, 'x');
    log.info('GET /purchase/1?secret=aaa4 with live-key-1');
    log.error({ err: new Error('refused', { cause: new Error('GET ?secret=aaa5&hostApiKey=aaa6') }) }, 'failed');
    expect(lines.join('')).not.toMatch(/aaa\d|live-key-1/);
    expect(lines.join('')).toContain('"err":"Error: refused ← Error: GET ?secret=[secret]&hostApiKey=[secret]"');
  });

  it('hold no properties of errors, which may be whole requests', () => {
    const { log, lines } = logging(false);
    log.error({ err: Object.assign(new Error('refused'), { config: { url: 'https://x/?s=aaa7' } }) }, 'failed');
    expect(lines[0]).not.toContain('aaa7');
  });
});
