/** The live side's levers: records without a browser, the deliveries of webhooks, and the key that they are signed with. */
import { validationError } from '../errors.ts';
import { readLiveRequest } from '../live/read-request.ts';
import { tamperRequest } from './control-requests.ts';
import { pathId } from './records.ts';
import type { Routes } from './site.ts';

export const liveRoutes: Routes = (app, { live }) => {
  app.get('/webhook-key', (_request, reply) => reply.type('application/x-pem-file').send(live.publicKey));
  app.get('/deliveries', () => live.side.deliveries());

  app.get('/live', () => live.side.records());
  app.post('/live', (request, reply) => reply.code(201).send(live.side.create(readLiveRequest(request.body))));

  /** `{"appliedFee": 9.99}`: the endpoint answers so from now on. */
  app.post('/live/:id/tamper', (request) => {
    const changes = tamperRequest.safeParse(request.body);
    if (!changes.success) throw validationError('body must be an object of changed fields');
    live.side.tamper(pathId(request), changes.data);
    return { tampered: Object.keys(changes.data) };
  });
};
