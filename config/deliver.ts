/** The settings of deliveries: where published sets are sent to. */
import { z } from 'zod';
import { notifyUrl, smtpUrl } from './addresses.ts';
import { mailAddress, NAME, path } from './connections.ts';
import {
  always,
  distinct,
  filledList,
  list,
  optional,
  type Reader,
  reader,
  SettingProblem,
  strict,
  text,
} from './readers.ts';
import { setting } from './setting.ts';

const name = text('a name', NAME);

const bucketUrl: Reader<string> = reader(
  'an http or https address with the bucket, such as https://s3.example/bucket/prefix',
  (value) => {
    const url = URL.parse(value);
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username !== '' || url.password !== '')
      return new SettingProblem('must not hold credentials; set accessKeyId and secretFile');
    return url.search === '' && url.hash === '' ? value : new SettingProblem('must not have a query or a fragment');
  },
);

const sftpUrl: Reader<string> = reader('sftp://user@host:22/folder', (value) => {
  const url = URL.parse(value);
  if (url === null || url.protocol !== 'sftp:' || url.hostname === '' || url.username === '') return undefined;
  return url.password === '' ? value : new SettingProblem('must not hold the password; set passwordFile');
});

const fileName = text('the name of a file of the set, such as breaks.csv', /^[a-z0-9_][a-z0-9_.-]{0,100}$/);

const sftp = strict({
  name,
  type: z.literal('sftp'),
  url: sftpUrl,
  keyFile: optional(path),
  passwordFile: optional(path),
  hostKey: text('SHA256:… as `ssh-keyscan HOST | ssh-keygen -lf -` prints it', /^SHA256:[A-Za-z0-9+/]{43}$/),
}).check(
  always((value, bad) => {
    if (value.keyFile !== null || value.passwordFile !== null) return;
    bad('is missing: set keyFile or passwordFile', ['keyFile'], null);
  }),
);

const target = z.discriminatedUnion(
  'type',
  [
    strict({ name, type: z.literal('folder'), path }),
    strict({
      name,
      type: z.literal('s3'),
      url: bucketUrl,
      region: text('a region', /^[a-z0-9-]{1,40}$/).prefault('us-east-1'),
      accessKeyId: text('the id of an access key', /^[\x21-\x7e]{1,128}$/),
      secretFile: path,
    }),
    sftp,
    strict({
      name,
      type: z.literal('email'),
      url: smtpUrl,
      from: mailAddress,
      to: filledList(mailAddress),
      passwordFile: optional(path),
      attach: list(fileName).prefault([]),
      link: optional(notifyUrl),
    }),
  ],
  { error: () => 'is not valid; allowed: folder, s3, sftp or email, with what that type needs' },
);

export const deliver = setting(
  [],
  list(target).check(distinct('name', 'is the name of another target too')),
  'Where each published set is sent, after its publication: files first, manifest.json after them, latest.json last. A failed delivery ' +
    'changes nothing about the night; `tieout deliver RUN` repeats it. Secrets are in files that secretFile, passwordFile and keyFile name.',
  {
    example:
      '- { name: finance, type: folder, path: /mnt/finance/tieout }\n' +
      '- { name: bucket, type: s3, url: "https://s3.example/reports/tieout", accessKeyId: AKIA, secretFile: /run/secrets/s3 }\n' +
      '- { name: bank, type: sftp, url: "sftp://tieout@sftp.example/in", keyFile: /run/secrets/id, hostKey: "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }\n' +
      '- { name: mail, type: email, url: "smtp://user@mail.example:587", from: tieout@example.com, to: [finance@example.com], attach: [breaks.csv] }',
  },
);
