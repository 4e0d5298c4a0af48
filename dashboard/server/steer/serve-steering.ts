import { randomBytes } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { readResearch } from '../../../db/reads/read-research.ts';
import { describeIssue } from '../../../domain/issue/describe-issue.ts';
import { tooLarge } from '../../../domain/messages.ts';
import { SteeringError, type SteeringCode } from '../../../steering/steering-error.ts';
import { withClient, type Server, type Temporal } from '../../../steering/with-client.ts';
import { STEER_BODIES, type Steering, type SteerAction } from '../../api/steer/steering.ts';
import type { Problem } from '../../api/problem.ts';
import { findNulProblem, problemResponse, refusal } from '../answer/problems.ts';
import type { DatabaseSource } from '../source/database-source.ts';
import { ACTIONS, type ActionDeps } from './actions.ts';
import { requireSamePage, requireToken } from './guard.ts';

/** Largest body: the largest message, with room for characters that JSON escapes. */
const BODY_BYTES = 5 * 2 ** 19;
/** Longest wait for a connection to Temporal: a person waits for the button. */
const CONNECT_SECONDS = 5;

/** Longest work of an action that asks Temporal several times, such as a start. */
const WORK_MS = 60_000;

/** Access to Temporal; a page without it cannot steer. */
export interface SteerOptions {
  /** Finds the server's address, which may change. Throws if none is known. */
  server: () => Promise<Server>;
  env: Readonly<Record<string, string | undefined>>;
}

type App = Hono<{ Bindings: HttpBindings }>;

/** True for the requests that change something: they exist only if the page may steer. */
export const isSteerRequest = ({ req }: Context): boolean =>
  req.method === 'POST' && /^\/[^/]+\/api\/v1\/steer\//.test(req.path);

/** Serves the resource that tells the page if it may steer, and the messages if it may. */
export function serveSteering(
  app: App,
  { steer, source }: { steer: SteerOptions | null; source: DatabaseSource },
): void {
  // Another process has another token: a page that was loaded before loads it anew.
  const token = steer === null ? null : randomBytes(32).toString('hex');
  app.get('/:secretPath/api/v1/steering', requireSamePage({ needsOrigin: false }), (c) => {
    const steering: Steering = { on: token !== null, token };
    return c.json(steering, 200, { 'cache-control': 'no-store' });
  });
  if (steer === null || token === null) return;
  const tooLong = (c: Context) =>
    problemResponse(c, { code: 'too-large', error: `Expected a body of at most ${BODY_BYTES} bytes.` });
  app.post(
    '/:secretPath/api/v1/steer/:action/:id',
    requireSamePage({ needsOrigin: true }),
    requireToken(token),
    bodyLimit({ maxSize: BODY_BYTES, onError: tooLong }),
    (c) => act(c, { steer, source }),
  );
}

async function act(c: Context, { steer, source }: { steer: SteerOptions; source: DatabaseSource }): Promise<Response> {
  const { action = '', id = '' } = c.req.param() as { action?: string; id?: string };
  if (!Object.hasOwn(ACTIONS, action)) return missing(c, `There is no action ${action}.`);
  const nul = findNulProblem({ id });
  if (nul) return problemResponse(c, nul);
  const name = action as SteerAction;
  const read = await readBody(c, name);
  if ('problem' in read) return problemResponse(c, read.problem);
  const research = await source.read((db) => readResearch(db, { researchId: id }));
  if (research === undefined) return missing(c, `There is no research ${id}.`);
  const send = async <T>(use: (temporal: Temporal) => Promise<T>): Promise<T> =>
    withClient(await steer.server(), { sender: 'page', env: steer.env, seconds: CONNECT_SECONDS }, (temporal) =>
      temporal.client.connection.withAbortSignal(AbortSignal.timeout(WORK_MS), () => use(temporal)),
    );
  try {
    // The cast holds because the body was parsed by the schema of the same action; the compiler only sees unions.
    const action = ACTIONS[name] as (deps: ActionDeps, body: unknown) => ReturnType<(typeof ACTIONS)['pause']>;
    const done = await action({ research, read: (use) => source.read(use), send }, read.body);
    return done === undefined ? missing(c, `There is no such trial of ${id}.`) : c.json(done);
  } catch (error) {
    const problem = steerProblem(error);
    if (problem === null) throw error;
    return problemResponse(c, problem);
  }
}

const missing = (c: Context, error: string): Response => problemResponse(c, { code: 'not-found', error });

async function readBody(c: Context, name: SteerAction): Promise<{ body: unknown } | { problem: Problem }> {
  const type = c.req.header('content-type') ?? '';
  const raw: unknown = /^application\/json\b/i.test(type) ? await c.req.json().catch(() => undefined) : undefined;
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { problem: { code: 'refused', error: 'Expected a body that is a JSON object, of type application/json.' } };
  const parsed = STEER_BODIES[name].safeParse(raw);
  if (!parsed.success) return { problem: { ...refusal(parsed.error), error: describeIssue(parsed.error, raw) } };
  const excess = tooLarge(raw);
  return excess === null ? { body: parsed.data } : { problem: { code: 'refused', error: excess } };
}

const CODES: Record<SteeringCode, Problem['code']> = {
  refused: 'conflict',
  unreachable: 'unreachable',
  failed: 'failed',
};

/** Errors whose messages say that Temporal is not there, by their names. */
const NOT_THERE = new Set(['NotRunningError', 'NamespaceMissingError']);

/** The problem of a message that had no effect; null for an error of another kind. */
function steerProblem(error: unknown): Problem | null {
  if (error instanceof SteeringError) return { code: CODES[error.code], error: error.message };
  if (!(error instanceof Error)) return null;
  if (NOT_THERE.has(error.name)) return { code: 'unreachable', error: error.message };
  if (error.name === 'ServiceError' || isOfGrpc(error))
    return { code: 'unreachable', error: `Temporal does not answer: ${textOf(error)}.` };
  return null;
}

/** True for an error of a call to Temporal's service, which the SDK passes on as it is. */
const isOfGrpc = (error: Error): boolean =>
  'details' in error && typeof (error as { code?: unknown }).code === 'number';

const textOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message);
