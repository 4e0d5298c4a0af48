import { expect, test } from 'vitest';
import { cliPage } from './reference/cli.ts';
import { environmentPage } from './reference/environment.ts';
import { failuresPage } from './reference/failures.ts';
import { presetsPage } from './reference/presets.ts';
import { taskPage } from './reference/task.ts';

test.each([
  ['cli', cliPage],
  ['environment', environmentPage],
  ['failures', failuresPage],
  ['presets', presetsPage],
  ['task', taskPage],
])('docs/reference/%s.md agrees with the code (npm run reference writes it)', async (name, write) => {
  await expect(await write()).toMatchFileSnapshot(`../../docs/reference/${name}.md`);
});
