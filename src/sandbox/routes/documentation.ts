/** `/openapi.json` and `/docs`: what this server can do. */
import { addDocumentation } from '../../openapi/pages.ts';
import type { Routes } from './site.ts';

export const documentationRoutes: Routes = (app, { identifierName }) =>
  addDocumentation(app, async () => {
    // Not at the start: most sandboxes are started by a test or a script, which never look.
    const { sandboxDocument } = await import('../openapi/document.ts');
    return sandboxDocument(identifierName);
  });
