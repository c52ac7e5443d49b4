/** `tieout openapi`: the OpenAPI documents of the two servers, without starting either. */
import { Argument } from 'commander';
import { command, type Register } from '../context.ts';

export const register: Register = (program) => {
  command(program, 'openapi', {
    details: `The same as GET /openapi.json of the running server, for generators of clients and for linters.
Fields that hold the maker's name are written as service.identifierName has it.`,
    examples: ['tieout openapi sandbox > service.json', 'tieout openapi serve > receiver.json'],
  })
    .addArgument<'sandbox' | 'serve'>(new Argument('<server>', 'server to describe').choices(['sandbox', 'serve']))
    .runs(async (session, server) => {
      const { settings } = await session.settings();
      await session.out.value(await documentOf(server, settings.service.identifierName));
    });
};

async function documentOf(server: 'sandbox' | 'serve', identifierName: string): Promise<object> {
  if (server === 'sandbox') {
    const { sandboxDocument } = await import('../../sandbox/sandbox.ts');
    return sandboxDocument(identifierName);
  }
  const [{ receiverDocument }, { webhookSchemas }, { CODE_VERSION }] = await Promise.all([
    import('../../intake/server/documentation.ts'),
    import('../../app/serve-schemas.ts'),
    import('../../app/version.ts'),
  ]);
  return receiverDocument({ schemas: webhookSchemas(identifierName), version: CODE_VERSION });
}
