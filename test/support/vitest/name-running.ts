import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Longest run before this reporter ends it, in minutes; PERPETUA_TEST_MINUTES changes it. */
const DEFAULT_MINUTES = 45;
/** Time for the servers of the tests to stop, in ms. */
const CLOSE_MS = 30_000;

/** Ends a run that exceeds its time limit or receives SIGTERM, and names the files and tests that were running. */
export default class NameRunning implements Reporter {
  readonly #running = new Map<string, { name: string; since: number }>();
  #timer: NodeJS.Timeout | undefined;

  onInit(vitest: Vitest): void {
    const minutes = Number(process.env['PERPETUA_TEST_MINUTES'] ?? DEFAULT_MINUTES);
    const end = (why: string): void => void this.#end(vitest, why);
    this.#timer = setTimeout(() => end(`the time limit of ${minutes} minutes`), minutes * 60_000);
    process.once('SIGTERM', () => end('SIGTERM'));
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.id, { name: relative(process.cwd(), module.moduleId), since: Date.now() });
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#running.delete(id);
  }

  onTestCaseReady({ id, module, fullName }: TestCase): void {
    this.#running.set(id, { name: `${relative(process.cwd(), module.moduleId)}: ${fullName}`, since: Date.now() });
  }

  onTestCaseResult({ id }: TestCase): void {
    this.#running.delete(id);
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  async #end(vitest: Vitest, why: string): Promise<void> {
    console.error(`\nfailed: the tests were stopped by ${why}. Running then:`);
    for (const { name, since } of this.#running.values())
      console.error(`failed: still running after ${Math.round((Date.now() - since) / 1000)} s: ${name}`);
    setTimeout(() => process.exit(1), CLOSE_MS);
    await vitest.close();
    process.exit(1);
  }
}
