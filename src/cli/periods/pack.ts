/** `tieout period pack`: the signed month-end workbook and page of a closed month. */
import { join } from 'node:path';
import { command, type Register } from '../context.ts';

export const register: Register = (program) => {
  command(program, 'period pack', {
    summary: 'Write the month-end pack of a closed month: a workbook and a page to print, signed',
    details:
      'Contains the sign-offs; the movement of open breaks since the close before (opening + new − resolved − ' +
      'waived = closing, by code, currency and money at stake); the steps from the host share to the journal; the ' +
      'journal; and every unverified record by name. It is made only from the sealed set. Writes to the folder of ' +
      '--out, or to `packs` in the out folder; a pack that is made again after a review is a new revision. Signed ' +
      'with publish.signingKeyFile; `tieout verify` checks it.',
    examples: ['tieout period pack 2026-10', 'tieout period pack 2026-10 --out for-the-board'],
  })
    .argument('<month>', 'month, as 2026-10')
    .runs(async (session, month) => {
      const [{ packMonth }, { requireSeparateFolder }] = await Promise.all([
        import('../../app/month-end-pack.ts'),
        import('../../app/render-run.ts'),
      ]);
      const published = await session.publishedOut();
      const out = requireSeparateFolder(published, session.flags.out ?? join(published, 'packs'));
      const pack = await packMonth(await session.app(), month, { out, published });
      if (session.out.json) {
        const { folder, workbook, page, isSigned } = pack;
        await session.out.value({ folder, workbook, page, signed: isSigned });
      } else {
        await session.out.pairs([
          ['workbook', pack.workbook],
          ['page', pack.page],
          ['signed', pack.isSigned ? 'yes' : 'no: publish.signingKeyFile is not set'],
        ]);
      }
    });
};
