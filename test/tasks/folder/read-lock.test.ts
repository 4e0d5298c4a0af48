import { expect, test } from 'vitest';
import { loadTask } from '../../../tasks/load.ts';
import { GOOD, makeTask } from '../make-task.ts';

const withYaml = (text: string): Record<string, string> => ({ 'task.yaml': `${GOOD}${text}` });
const ENVIRONMENT = {
  ...withYaml("environment: { python: '3.11', lock: requirements.lock }\n"),
  'requirements.lock': 'six==1.17.0\n',
};

test('a task is loaded with the files of its environment', async () => {
  const { environmentFiles } = await loadTask(await makeTask(ENVIRONMENT));
  expect(environmentFiles?.map(({ path }) => path)).toEqual(['requirements.lock']);
  const project = { 'uv.lock': 'version = 1\n', 'pyproject.toml': '[project]\n' };
  const locked = withYaml("environment: { python: '3.11', lock: uv.lock }\n");
  const loaded = await loadTask(await makeTask({ ...locked, ...project }));
  expect(loaded.environmentFiles?.map(({ path }) => path)).toEqual(['uv.lock', 'pyproject.toml']);
});

test.each<[string, Record<string, string | null>, string]>([
  [
    'a missing lock',
    { ...ENVIRONMENT, 'requirements.lock': null },
    'environment.lock: expected a text file requirements.lock beside task.yaml, got nothing; `uv pip compile',
  ],
  [
    'a package without a version',
    { ...ENVIRONMENT, 'requirements.lock': 'six==1.17.0\nnumpy>=2\n' },
    'environment.lock: expected each package with one version, got "numpy>=2"; `uv pip compile',
  ],
  [
    'a lock of uv without its project file',
    { ...withYaml("environment: { python: '3.11', lock: uv.lock }\n"), 'uv.lock': 'version = 1\n' },
    'expected a text file pyproject.toml beside task.yaml, got nothing; uv.lock needs it: copy it here',
  ],
  [
    'a lock that a proposal could change',
    { ...withYaml("environment: { python: '3.11', lock: workspace/main.js }\n") },
    'environment.lock: expected a lock outside the workspace, got the text "workspace/main.js", inside the workspace',
  ],
  [
    'a version of Python that YAML reads as a number',
    withYaml('environment: { python: 3.10, lock: requirements.lock }\n'),
    'environment.python: expected ',
  ],
])('%s is refused', async (_name, files, message) => {
  await expect(loadTask(await makeTask(files))).rejects.toThrow(message);
});
