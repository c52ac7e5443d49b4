/** What only a sandbox has: exports, the answer key, counters, and the levers of time. Neither limited nor counted. */
import { Readable } from 'node:stream';
import { validationError } from '../errors.ts';
import { csv, ndjson } from '../exports.ts';
import { advanceRequest, instantRequest, nightRequest, speedRequest } from './control-requests.ts';
import { EXPORT_FORMAT } from './parameters.ts';
import { parameter } from './query.ts';
import type { Routes } from './site.ts';

export const controlRoutes: Routes = (app, site) => {
  const { population, clock, limiter, night, live } = site;

  app.get('/tracked', (request, reply) => {
    const format = EXPORT_FORMAT.safeParse(parameter(request, 'format') ?? 'csv').data;
    const lines = population.trackedLines();
    if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(Readable.from(csv(lines)));
    if (format === 'ndjson') return reply.type('application/x-ndjson').send(Readable.from(ndjson(lines)));
    throw validationError('format must be csv or ndjson');
  });

  app.get('/quotes', (_request, reply) =>
    reply.type('application/x-ndjson').send(Readable.from(ndjson(population.quoteLines()))),
  );

  app.get('/answers', () => [...population.answerKey()]);
  app.get('/stats', () => site.stats());

  /** `{"advanceMs": 60000}` or `{"at": "2026-11-01T00:00:00Z"}`, or `{"speed": 60}` for the live side. */
  app.post('/clock', (request) => {
    const { body } = request;
    const advance = advanceRequest.safeParse(body);
    const speed = speedRequest.safeParse(body);
    const instant = instantRequest.safeParse(body);
    if (advance.success) clock.advance(advance.data.advanceMs);
    else if (speed.success) live.side.setSpeed(speed.data.speed);
    else if (instant.success) {
      clock.set(Date.parse(instant.data.at));
      limiter.forget();
    } else throw validationError('give advanceMs, a number of at least 0, at, an ISO 8601 instant, or speed');
    live.settle();
    return { now: new Date(clock.now()).toISOString() };
  });

  app.post('/night', (request) => {
    const wanted = nightRequest.safeParse(request.body);
    if (!wanted.success) throw validationError('night must be 1 or 2');
    night.current = wanted.data.night;
    return { night: wanted.data.night };
  });
};
