/** The facts that the coordinator of a run and its workers must have in common. */
import type { Settings } from '../../config/settings.ts';
import type { Deployment } from '../ports/queue.ts';
import { deploymentOf } from '../workers/deployment.ts';
import { codeVersion } from './version.ts';

export function deploymentOfSettings({ service, statuses }: Settings): Deployment {
  return deploymentOf({
    'service.url': service.url,
    'service.salePath': service.salePath,
    'service.identifierName': service.identifierName,
    statuses: { purchase: [...statuses.purchase.values()], sale: [...statuses.sale.values()] },
    version: codeVersion(),
  });
}
