import { describe, expect, it } from 'vitest';
import { load, problem } from './loading.ts';

const MAIL = 'url: smtp://tieout@mail.example:587, from: tieout@example.com';

describe('notify.email', () => {
  it('names a server, a sender and receivers; the password comes from the environment', () => {
    const loaded = load({
      yaml: `notify: { email: { ${MAIL}, to: [finance@example.com, ops@example.com] } }`,
      env: { TIEOUT_SMTP_PASSWORD: 'correct horse' },
    });
    expect(loaded.settings.notify.email).toEqual({
      url: 'smtp://tieout@mail.example:587',
      from: 'tieout@example.com',
      to: ['finance@example.com', 'ops@example.com'],
    });
    expect(loaded.settings.notify.smtpPassword).toBe('correct horse');
    expect(loaded.secrets()).toContain('correct horse');
    expect(JSON.stringify(loaded.describe())).not.toContain('correct horse');
  });

  it('is nothing unless it is set', () => {
    expect(load().settings.notify).toMatchObject({ email: null, smtpPassword: null });
  });

  it.each([
    [`{ ${MAIL}, to: [] }`, 'notify.email.to | tieout.yaml:1 | [] | needs at least one item'],
    [
      '{ url: "smtp://tieout:hunter22@mail.example", from: a@example.com, to: [b@example.com] }',
      'notify.email.url | tieout.yaml:1 | smtp://tieout:********@mail.example | must not hold the password; set TIEOUT_SMTP_PASSWORD',
    ],
    [
      '{ url: https://mail.example, from: a@example.com, to: [b@example.com] }',
      'notify.email.url | tieout.yaml:1 | https://mail.example | is not valid; allowed: smtp://user@host:587 (STARTTLS) or smtps://user@host:465',
    ],
    [
      `{ ${MAIL}, to: ["a@example.com, b@example.com"] }`,
      'notify.email.to[0] | tieout.yaml:1 | a@example.com, b@example.com | is not valid; allowed: a mail address, such as finance@example.com',
    ],
  ])('is refused as %s', (email, expected) => {
    expect(problem({ yaml: `notify: { email: ${email} }` })).toBe(expected);
  });

  it('keeps its password out of the file', () => {
    expect(problem({ yaml: 'notify: { smtpPassword: hunter22 }' })).toBe(
      'notify.smtpPassword | tieout.yaml:1 | - | secrets are not read from the file; set TIEOUT_SMTP_PASSWORD or TIEOUT_SMTP_PASSWORD_FILE',
    );
  });
});

it('a job that does not exist cannot be scheduled', () => {
  expect(
    problem({
      yaml: 'schedule: { jobs: { nigthly: "15 4 * * *" } }',
      known: { jobs: ['nightly', 'reference-data', 'recheck', 'retention'] },
    }),
  ).toContain('is set for a job that does not exist; did you mean nightly?');
});
