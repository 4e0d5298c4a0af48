import { expect, test } from 'vitest';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement.ts';
import { isRoot, supervise } from '../../../infra/compute/supervisor/supervise.ts';
import { useDashboard } from '../support.ts';

const serve = useDashboard();
// Such a run is looked for among all processes: a namespace around the test keeps a mistake small.
const within = isRoot ? ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'] : [];

test('a run that only a process group holds together hears 401 of the page, as any program without the cookie', async () => {
  const { port, below } = await serve();
  const paths = ['/', below(''), below('api/v1/researches'), below('api/v1/stream')];
  const script = `Promise.all(process.argv.slice(1).map((url) => fetch(url).then(({ status }) => status))).then((all) => console.log("heard " + all.join(" ")))`;
  const urls = paths.map((path) => `http://127.0.0.1:${port}${path}`);
  const command = `'${process.execPath}' -e '${script}' ${urls.join(' ')}`;
  const { end, output } = await supervise({ shell: ['sh'], confinement: PROCESS_GROUP, uid: null, within }, command, {
    wallSeconds: 60,
  });
  expect(end).toMatchObject({ containment: 'process-group', exitCode: 0 });
  expect(output).toContain('heard 401 401 401 401');
});
