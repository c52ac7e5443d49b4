import { describe, expect, it } from 'vitest';
import { Scrubber } from '../../src/cli/scrub.ts';

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
