/** `tieout access link|list|revoke`: access to the pages. */
import { Option } from 'commander';
import { localLinksOf } from '../../app/four-eyes.ts';
import { ROLES, type Role } from '../../domain/actor.ts';
import { UsageError } from '../../domain/errors.ts';
import { isoInstant } from '../../domain/record.ts';
import { count } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { snakeCase } from '../output.ts';
import { statedActor } from '../person.ts';

export const register: Register = (program) => {
  command(program, 'access link', {
    summary: 'Make a one-time link that signs a person in on the pages',
    details:
      'For a laptop, or the first administrator: any user who can write to the database can make one. It works ' +
      'once, for pages.linkFor (15 minutes), and only the hash of its secret is stored.',
    examples: [
      'tieout access link --as "Ann Lee" --role analyst',
      'tieout access link --as bob --role closer --role reviewer',
    ],
  })
    .requiredOption('--as <name>', 'name for the pages and for every decision')
    .addOption<{ role?: readonly Role[] }>(
      new Option('--role <role>', 'role; repeatable (default: viewer)')
        .choices(ROLES)
        .argParser((text: string, before: readonly Role[] | undefined) => [...(before ?? []), roleOf(text)]),
    )
    .runs(async (session, flags) => {
      const name = flags.as.trim();
      if (name === '' || name.length > 200) throw new UsageError('--as must be a name of at most 200 characters');
      const roles: readonly Role[] = flags.role ?? ['viewer'];
      const [{ makeAccessLink }, app] = await Promise.all([import('../../app/pages.ts'), session.app()]);
      if (localLinksOf(app.settings) === 'off') {
        throw new UsageError(
          'links sign nobody in: access.localLinks is off, as it is by default where pages.oidc or fourEyes is set',
          {
            remedy:
              'set access.localLinks: proved to trust whoever can write to the database, or sign in by pages.oidc or pages.proxy',
          },
        );
      }
      const by = statedActor(undefined);
      const link = await makeAccessLink(app, { name, roles, by: by.account, base: null });
      const act = { at: app.clock.wall.now(), ...by, action: 'access.link', subject: name, outcome: 'done' } as const;
      await app.store.access.note({ ...act, detail: roles.join(', ') });
      if (session.out.json) await session.out.value({ name, roles, url: link.url, ends_at: isoInstant(link.endsAt) });
      else {
        await session.out.line(link.url);
        session.screen.write(`Signs ${name} in as ${roles.join(', ')}, once, until ${isoInstant(link.endsAt)}.\n`);
      }
    });

  command(program, 'access list', {
    summary: 'List unused links and signed-in people',
    examples: ['tieout access list', 'tieout access list --json'],
  }).runsOnApp(async (app, { out }) => {
    const { links, sessions } = await app.store.access.list(app.clock.wall.now());
    const rows = [
      ...sessions.map((each) => ({ type: 'session', ...each })),
      ...links.map(({ madeBy: account, ...each }) => ({ type: 'link', account, ...each })),
    ].map(({ type, name, account, roles, madeAt, endsAt }) => ({ type, name, account, roles, madeAt, endsAt }));
    await out.list(
      rows.map(snakeCase),
      rows,
      [
        { title: 'what', cell: ({ type }) => type },
        { title: 'name', cell: ({ name }) => name },
        { title: 'roles', cell: ({ roles }) => roles.join(', ') },
        { title: 'account', cell: ({ account }) => account },
        { title: 'until', cell: ({ endsAt }) => isoInstant(endsAt) },
      ],
      'There is no session, and no unused link.',
    );
  });

  command(program, 'access revoke', {
    summary: 'End every session and unused link of a person',
    examples: ['tieout access revoke "Ann Lee"'],
  })
    .argument('<name>', 'name, as `tieout access list` prints it')
    .runsOnApp(async (app, { out }, name) => {
      const ended = await app.store.access.revoke(name, app.clock.wall.now());
      const act = { action: 'access.revoke', subject: name, outcome: 'done', detail: String(ended) } as const;
      await app.store.access.note({ at: app.clock.wall.now(), ...statedActor(undefined), ...act });
      const words = ended === 0 ? `${name} has no session and no unused link.` : `${count(ended)} ended.`;
      await out.result({ name, ended }, words);
    });
};

function roleOf(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role === undefined) throw new UsageError(`--role ${text}: it must be one of ${ROLES.join(', ')}`);
  return role;
}
