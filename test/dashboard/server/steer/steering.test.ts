import dns from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type AddressInfo } from 'node:net';
import { eq } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { researches } from '../../../../db/schema.ts';
import { STEER_HEADER } from '../../../../dashboard/api/steer/steer-header.ts';
import type { SteerOptions } from '../../../../dashboard/server/steer/serve-steering.ts';
import { insertStory } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { freePort } from '../../../../infra/process/free-port.ts';
import { sendRequest, useDashboard, type Answer, type Served } from '../support.ts';

const bench = useDatabase();
const serve = useDashboard();

const NOWHERE = { namespace: 'default', connection: {} };

type Found = (error: null, address: string, family: number) => void;
/** A server of Temporal that nobody runs. */
const nowhere = async () => {
  const address = `127.0.0.1:${await freePort(7999)}`;
  return { server: () => Promise.resolve({ ...NOWHERE, address }), env: {} };
};

/** A page that may steer, with the headers that it sends itself. */
async function steered(
  access?: SteerOptions,
): Promise<Served & { headers: Record<string, string>; post: typeof post }> {
  const served = await serve({ databaseUrl: bench.url, steerBy: access ?? (await nowhere()) });
  const { token } = JSON.parse((await served.get('api/v1/steering')).text) as { token: string };
  const headers = {
    ...served.cookie,
    origin: `http://127.0.0.1:${served.port}`,
    host: `127.0.0.1:${served.port}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    [STEER_HEADER]: token,
  };
  const post = (path: string, body: unknown, changed: Record<string, string | undefined> = {}): Promise<Answer> => {
    const sent = Object.entries({ ...headers, ...changed });
    return sendRequest(served.port, served.secretPath(`api/v1/steer/${path}`), {
      method: 'POST',
      headers: Object.fromEntries(sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  };
  return { ...served, headers, post };
}

const problemOf = ({ status, text }: Answer) => ({
  status,
  ...(JSON.parse(text) as { code: string; error: string; issues?: { path: string }[] }),
});

test('a page without --steer says so, and has no token', async () => {
  const { get } = await serve();
  const { status, text, headers } = await get('api/v1/steering');
  expect([status, text, headers['cache-control']]).toEqual([200, '{"on":false,"token":null}', 'no-store']);
});

describe('a message to a page that may steer', () => {
  test('is refused without the token, the cookie or the origin of the page', async () => {
    const { post, port, headers } = await steered();
    const refused = async (changed: Record<string, string | undefined>) =>
      (await post('pause/story', {}, changed)).status;
    expect(await refused({ [STEER_HEADER]: undefined })).toBe(403);
    expect(await refused({ [STEER_HEADER]: headers[STEER_HEADER]?.replace(/./g, '0') })).toBe(403);
    expect(await refused({ cookie: undefined })).toBe(401);
    for (const origin of [undefined, 'null', 'http://evil.test', `http://localhost:${port}`, 'http://127.0.0.1:1'])
      expect([origin, await refused({ origin })]).toEqual([origin, 403]);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect([site, await refused({ 'sec-fetch-site': site })]).toEqual([site, 403]);
    expect(await refused({ host: 'evil.test' })).toBe(403);
  });

  test('has the only path and method that write: all others stay 405', async () => {
    const { port, secretPath, headers } = await steered();
    const paths = ['', 'api/v1/setup', 'api/v1/steering', 'api/v1/researches', 'x/api/v1/steer/pause/story'];
    for (const path of paths)
      expect([path, (await sendRequest(port, secretPath(path), { method: 'POST', headers })).status]).toEqual([
        path,
        405,
      ]);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await sendRequest(port, secretPath('api/v1/steer/pause/story'), { method, headers })).status).toBe(405);
  });

  test('names the keys of its body that are wrong, and acts on none of it', async () => {
    await insertStory(bench.db, 'story');
    const { post } = await steered();
    const wrong: [string, unknown, RegExp][] = [
      ['budget', { trials: -1 }, /^trials: expected a number above 0, got/],
      ['budget', { trails: 5 }, /^trails: .*did you mean trials\?/],
      ['budget', {}, /at least one limit/],
      ['window', { window: 'wide' }, /^window: expected/],
      ['note', { text: '' }, /^text: expected/],
      ['overrule', { n: 4, verdict: 'perhaps', reason: 'x' }, /^verdict: expected/],
      ['overrule', { n: 4, verdict: 'keep' }, /^reason: expected/],
      ['inject', { files: {}, hypothesis: 'x' }, /^files: expected/],
      ['task', { task: 'folder/below' }, /^task: expected a built-in name, or the absolute path/],
      ['task', { task: '..' }, /^task: expected a built-in name, or the absolute path/],
      ['stop', { now: 'yes' }, /^now: expected/],
      ['pause', { now: true }, /expected no input/],
      ['pause', '[]', /Expected a body that is a JSON object/],
      ['pause', '{', /Expected a body that is a JSON object/],
    ];
    for (const [action, body, error] of wrong)
      expect(problemOf(await post(`${action}/story`, body))).toMatchObject({
        status: 400,
        code: 'refused',
        error: expect.stringMatching(error) as string,
      });
    expect((await post('pause/story', {}, { 'content-type': 'text/plain' })).status).toBe(400);
  });

  test('is 404 for an unknown action, research or trial, and 413 for a body that no message needs', async () => {
    await insertStory(bench.db, 'here');
    const { post } = await steered();
    const missing = ['explode/here', 'toString/here', 'pause/nobody', 'pause/a%2Fb'];
    for (const path of missing) expect([path, (await post(path, {})).status]).toEqual([path, 404]);
    expect((await post('overrule/here', { n: 999, verdict: 'keep', reason: 'x' })).status).toBe(404);
    expect((await post('pause/%00', {})).status).toBe(400);
    expect(problemOf(await post('note/here', { text: 'x'.repeat(3 * 2 ** 20) }))).toMatchObject({
      status: 413,
      code: 'too-large',
    });
  });

  test('says that Temporal does not answer, and the page goes on', async () => {
    await insertStory(bench.db, 'alone');
    const { post, get, reportedErrors } = await steered();
    for (const action of ['pause', 'resume', 'stop'])
      expect(problemOf(await post(`${action}/alone`, {}))).toMatchObject({
        status: 503,
        code: 'unreachable',
        error: expect.stringMatching(/^Cannot reach Temporal at 127\.0\.0\.1:/) as string,
      });
    expect((await get('api/v1/research/alone')).status).toBe(200);
    expect(reportedErrors).toEqual([]);
  });
});

test('a message to a Temporal that is frozen is answered, too', async () => {
  await insertStory(bench.db, 'frozen');
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { post } = await steered({ server: () => Promise.resolve({ ...NOWHERE, address }), env: {} });
  expect(problemOf(await post('pause/frozen', {}))).toMatchObject({
    status: 503,
    code: 'unreachable',
    error: expect.stringContaining('no answer within 5 s') as string,
  });
  silent.close();
});

test('a Temporal that refuses a call of a start is named, and the dashboard reports no error of its own', async () => {
  await insertStory(bench.db, 'ended');
  await bench.db.update(researches).set({ phase: 'stopped' }).where(eq(researches.id, 'ended'));
  const bare = createHttp2Server();
  const answer = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' };
  bare.on('stream', (stream) => stream.respond(answer, { endStream: true }));
  await once(bare.listen(0, '127.0.0.1'), 'listening');
  const { port } = bare.address() as AddressInfo;
  const server = () => Promise.resolve({ ...NOWHERE, address: `127.0.0.1:${port}` });
  const { post, reportedErrors } = await steered({ server, env: {} });
  expect(problemOf(await post('start/ended', {}))).toMatchObject({
    status: 503,
    code: 'unreachable',
    error: expect.stringMatching(/^Temporal does not answer: 12 UNIMPLEMENTED/) as string,
  });
  expect(reportedErrors).toEqual([]);
  bare.close();
});

test('the token is for the page alone: another site, and a tab that is opened on it, get none', async () => {
  const { get, headers } = await steered();
  for (const site of ['cross-site', 'same-site', 'none'])
    expect((await get('api/v1/steering', { 'sec-fetch-site': site })).status).toBe(403);
  expect((await get('api/v1/steering', { origin: 'http://evil.test' })).status).toBe(403);
  const again = await steered();
  expect(again.headers[STEER_HEADER]).not.toBe(headers[STEER_HEADER]);
});

test.each(['0.0.0.0', '192.0.2.1', '::', 'box.lan'])('a page on %s may not steer', async (host) => {
  await expect(serve({ host, steerBy: await nowhere() })).rejects.toThrow(
    `Expected --steer with a page that only this machine reaches: --host 127.0.0.1, ::1 or localhost; got ${host}.`,
  );
});

test('a page on a localhost that other machines reach may not steer', async () => {
  const steerBy = await nowhere();
  const lookup = vi.spyOn(dns, 'lookup');
  lookup.mockImplementation((_: string, found: Found) => found(null, '0.0.0.0', 4));
  const served = serve({ host: 'localhost', steerBy });
  await expect(served)
    .rejects.toThrow('got localhost, which is 0.0.0.0')
    .finally(() => lookup.mockRestore());
});
