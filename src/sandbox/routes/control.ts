/** What only a sandbox has: exports, the answer key, counters, and the levers of time. Neither limited nor counted. */
import { Readable } from 'node:stream';
import { validationError } from '../errors.ts';
import { csv, ndjson } from '../exports.ts';
import { isObject, parameter } from './query.ts';
import type { Routes } from './site.ts';

export const controlRoutes: Routes = (app, site) => {
  const { population, clock, limiter, night, live } = site;

  app.get('/tracked', (request, reply) => {
    const format = parameter(request, 'format') ?? 'csv';
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
    const { advanceMs, at, speed } = isObject(request.body) ? request.body : {};
    const instant = typeof at === 'string' ? Date.parse(at) : Number.NaN;
    if (typeof advanceMs === 'number' && Number.isFinite(advanceMs) && advanceMs >= 0) clock.advance(advanceMs);
    else if (typeof speed === 'number' && speed >= 0.001 && speed <= 100_000) live.side.setSpeed(speed);
    else if (!Number.isNaN(instant)) {
      clock.set(instant);
      limiter.forget();
    } else throw validationError('give advanceMs, a number of at least 0, at, an ISO 8601 instant, or speed');
    live.settle();
    return { now: new Date(clock.now()).toISOString() };
  });

  app.post('/night', (request) => {
    const wanted = isObject(request.body) ? request.body.night : undefined;
    if (wanted !== 1 && wanted !== 2) throw validationError('night must be 1 or 2');
    night.current = wanted;
    return { night: wanted };
  });
};
