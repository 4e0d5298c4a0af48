import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { connect } from '../../../db/connect.ts';
import { migrate } from '../../../db/migrate.ts';
import { researches } from '../../../db/schema.ts';
import { startTestServers, type TestServers } from '../../support/servers.ts';
import { run, type Ran } from '../support/cli.ts';
import { insertResearch } from '../support/lineage.ts';

let servers: TestServers;
let connection: Connection;

beforeAll(async () => {
  servers = await startTestServers();
  connection = await Connection.connect({ address: servers.temporalAddress });
});

afterAll(async () => {
  await connection.close();
  await servers.stop();
});

const perpetua = (...argv: string[]): Promise<Ran> =>
  run(argv, {
    env: {
      TEMPORAL_ADDRESS: servers.temporalAddress,
      DATABASE_URL: servers.databaseUrl,
      PERPETUA_HOME: servers.home,
    },
  });

const handleOf = (id: string) => new Client({ connection }).workflow.getHandle(id);

const decode = (data: Uint8Array | null | undefined): unknown =>
  data ? JSON.parse(Buffer.from(data).toString()) : undefined;

/** Names and first arguments of the signals to a workflow, as the server recorded them. */
async function signalsOf(id: string): Promise<[string, unknown][]> {
  const { events } = await handleOf(id).fetchHistory();
  return (events ?? []).flatMap((event) => {
    const sent = event.workflowExecutionSignaledEventAttributes;
    return sent?.signalName ? [[sent.signalName, decode(sent.input?.payloads?.[0]?.data)] as [string, unknown]] : [];
  });
}

describe('a research on a real Temporal server', () => {
  it('is started with the given options and nothing else, and reported to wait for a worker', async () => {
    const options = ['--budget-trials', '5', '--window', 'auto'];
    const { code, stdout, stderr } = await perpetua('start', 'nano-lm', '--id', 'team/one', ...options);
    expect(code).toBe(0);
    expect(stdout).toContain('started the research team/one on the task nano-lm');
    expect(stderr).toContain('no worker is running');
    const { events } = await handleOf('team/one').fetchHistory();
    const started = events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.workflowType?.name).toBe('research');
    expect(started?.taskQueue?.name).toBe('perpetua');
    expect(decode(started?.input?.payloads?.[0]?.data)).toEqual({
      task: 'nano-lm',
      window: 'auto',
      budget: { trials: 5 },
    });
  });

  it('is planned with the values that its start sets', async () => {
    const { stderr } = await perpetua('start', 'nano-lm', '--id', 'planned', '--set', 'keep.baselineRuns=4');
    expect(stderr).toContain('plan: first verdict after 4 runs of the unmodified version');
    await handleOf('planned').terminate();
  });

  it('is never started twice under one id', async () => {
    const { code, stderr } = await perpetua('start', 'nano-lm', '--id', 'team/one');
    expect(code).toBe(2);
    expect(stderr).toContain('The research team/one is already open');
  });

  it('gets each signal with its arguments', async () => {
    const paused = await perpetua('pause', 'team/one');
    expect(paused).toMatchObject({ code: 0, stdout: 'team/one pauses: nothing new starts, runs finish\n' });
    const resumed = await perpetua('resume', 'team/one', '--json');
    expect(resumed.json()).toEqual([{ workflowId: 'team/one', signal: 'resume' }]);
    await perpetua('note', 'team/one', 'try "less"');
    await perpetua('stop', 'team/one');
    await perpetua('stop', 'team/one', '--now');
    expect(await signalsOf('team/one')).toEqual([
      ['pause', undefined],
      ['resume', undefined],
      ['note', { text: 'try "less"' }],
      ['stop', { now: false }],
      ['stop', { now: true }],
    ]);
  });

  it('gets signals that name no research if it is the only one', async () => {
    await migrate(servers.databaseUrl);
    const { db, close } = connect(servers.databaseUrl, { max: 1, onError: () => undefined });
    await insertResearch(db, 'team/one').finally(close);
    const noted = await perpetua('note', 'less of all', '--json');
    expect(noted.json()).toEqual([{ workflowId: 'team/one', signal: 'note' }]);
    expect((await perpetua('pause')).stdout).toMatch(/^team\/one pauses/);
    expect((await signalsOf('team/one')).slice(-2)).toEqual([
      ['note', { text: 'less of all' }],
      ['pause', undefined],
    ]);
  });

  it('gets a pause while it stops, with a note that the pause has no effect', async () => {
    const { db, close } = connect(servers.databaseUrl, { max: 1, onError: () => undefined });
    const setPhase = (phase: 'stopping' | 'running') => db.update(researches).set({ phase });
    try {
      await setPhase('stopping');
      for (const command of ['pause', 'resume'])
        expect(await perpetua(command, 'team/one')).toMatchObject({
          code: 0,
          stdout: '',
          stderr: expect.stringMatching(`^note: team/one is stopping, so a ${command} has no effect`) as string,
        });
      expect((await perpetua('stop', 'team/one', '--now')).stdout).toContain('stops now');
      expect((await signalsOf('team/one')).slice(-3).map(([name]) => name)).toEqual(['pause', 'resume', 'stop']);
    } finally {
      await setPhase('running');
      await close();
    }
  });

  it('gets no note that is only its id, or that is two texts', async () => {
    const before = await signalsOf('team/one');
    expect(await perpetua('note', 'team/one')).toMatchObject({
      code: 2,
      stderr: 'Expected an id and a text, or a text of several words; got "team/one" alone.\n',
    });
    expect((await perpetua('note', 'team/one', 'try', 'less')).stderr).toContain('quote the text');
    expect(await signalsOf('team/one')).toEqual(before);
  });

  it('refuses a signal under an id that never ran, with the next step', async () => {
    const { code, stderr } = await perpetua('pause', 'never-started');
    expect(code).toBe(2);
    expect(stderr).toContain('npx perpetua start <task> --id never-started');
  });

  it('refuses a signal once it is closed', async () => {
    await handleOf('team/one').terminate();
    expect((await perpetua('pause', 'team/one')).code).toBe(2);
  });

  it('is not checked if no worker polls, and no workflow is left behind', async () => {
    const { code, stderr } = await perpetua('check', 'nano-lm');
    expect(code).toBe(3);
    expect(stderr).toContain('no worker is running, so nothing goes on. Start one: npx perpetua worker');
    const open = async (): Promise<string[]> => {
      const ids = [];
      for await (const execution of new Client({ connection }).workflow.list())
        if (execution.status.name === 'RUNNING') ids.push(execution.workflowId);
      return ids;
    };
    // The list of workflows shows an end a moment later.
    await expect.poll(open).toEqual([]);
  });
});
