// `npm run test:agents`: installs pi and mini-swe-agent if they are missing, and runs their tests against a scripted
// endpoint. --if-possible: skips the tests of an agent that cannot be installed, and counts the skip.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWithProgress, install, requireNode, root, run } from './lib.mjs';
import { getAgents } from './test-tools/agents.mjs';

const SKIP = '--if-possible';

async function main(args) {
  requireNode();
  await install();
  await buildWithProgress();
  const complete = await getAgents(['pi', 'mini-swe-agent']);
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-agents-'));
  const report = join(folder, 'vitest.json');
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const more = args.filter((arg) => arg !== SKIP);
    const command = [
      process.execPath,
      vitest,
      'run',
      '--config',
      'test/suites/agents.config.ts',
      ...reporters,
      ...more,
    ];
    const succeeded = await run(command).then(
      () => true,
      () => false,
    );
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = Math.max(numFailedTests, succeeded ? 0 : 1) + (complete || args.includes(SKIP) ? 0 : 1);
    console.log(`${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
