import { describe, expect, it } from 'vitest';
import { Scrubber } from '../../src/cli/scrub.ts';
import { processorMs } from '../support/processor-time.ts';

describe('places where secrets stand', () => {
  it.each([
    ['GET /purchase/abc?secret=k3yTh4t&x=1', 'GET /purchase/abc?secret=[secret]&x=1'],
    ['?hostApiKey=live-1&userIp=x', '?hostApiKey=[secret]&userIp=x'],
    ['postgres://app:hunter2@db/x', 'postgres://app:[secret]@db/x'],
    ['postgres://app:hun@ter/2@db/x refused', 'postgres://app:[secret]@db/x refused'],
    ['"purchaseViewToken":"abc\\"def","id":"x"', '"purchaseViewToken":[secret],"id":"x"'],
    ["view_token: 'abc def', id", 'view_token: [secret], id'],
    ['viewToken=abc;', 'viewToken=[secret];'],
    ['Authorization: Bearer abc.def-1', 'Authorization: Bearer [secret]'],
    ["unknown option '--token=abc'", "unknown option '--token=[secret]'"],
    ['password=hunter2 host=db', 'password=[secret] host=db'],
  ])('%s', (text, clean) => {
    expect(new Scrubber().scrub(text)).toBe(clean);
  });

  it.each([
    'the token is refused (403): view_token is missing',
    'see https://service.example/api at 10:02',
    'set TIEOUT_SECRET_KEY, or let the key file be used',
    'quote q-17 (card, 4 min before) promised 4.76 EUR',
    'mail finance@example.org',
  ])('leaves alone: %s', (text) => {
    expect(new Scrubber().scrub(text)).toBe(text);
  });
});

describe('given secrets', () => {
  it('go in every form in which they are written', () => {
    const scrubber = new Scrubber();
    scrubber.add(['p@ss/w"ord', 'p@ss/w"ord-longer', 'abc']);
    expect(scrubber.scrub('p@ss/w"ord p%40ss%2Fw%22ord p@ss/w\\"ord p@ss/w"ord-longer abc')).toBe(
      '[secret] [secret] [secret] [secret] abc',
    );
  });
});

describe('time', () => {
  const long = 'a'.repeat(200_000);
  it.each([
    ['a long word', long],
    ['words that end like a name', 'view_'.repeat(50_000)],
    ['dots', 'a.'.repeat(100_000)],
    ['addresses without an @', 'x://a:'.repeat(50_000)],
    ['marks', '=:'.repeat(100_000)],
    ['blanks behind names', `token${' '.repeat(200_000)}`],
    ['names and blanks', 'token = '.repeat(30_000)],
    ['open quotes', 'token="'.repeat(30_000)],
    ['backslashes', `token="${'\\'.repeat(200_000)}`],
  ])('grows with the length alone: %s', (_, text) => {
    expect(processorMs(() => new Scrubber().scrub(text))).toBeLessThan(5000);
  });
});

describe('given secrets in other encodings', () => {
  const secret = 'pV7/k+9"tQ2wXz=!';
  it.each([
    ['for a URL', encodeURIComponent(secret)],
    ['for a URL twice', encodeURIComponent(encodeURIComponent(secret))],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in hexadecimal digits', Buffer.from(secret).toString('hex')],
    ['in upper-case hexadecimal digits', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['in base64 with one byte before it', Buffer.from(`x${secret}`).toString('base64')],
    ['in base64 with two bytes before it', Buffer.from(`xy${secret}z`).toString('base64')],
  ])('%s', (_, text) => {
    const scrubber = new Scrubber();
    scrubber.add([secret]);
    const clean = scrubber.scrub(`got ${text} here`);
    // At most the characters that it shares with its neighbours are left.
    expect(clean.replace('[secret]', '').length).toBeLessThanOrEqual(18);
  });
});
