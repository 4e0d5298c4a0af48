import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more: whole stacks, and the suites that every adapter passes. */
const SLOW = /\/test\/(e2e\/|infra\/compute\/[^/]+$)/;
/** One file with the tests of many: it must not be the last. */
const FIRST = /\/shared-stack\.test\.ts$/;

/**
 * Runs slow files first. Without known times vitest sorts by size, and a short file that takes minutes would be the
 * last.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      if (FIRST.test(moduleId)) return 0;
      return SLOW.test(moduleId) ? 1 : 2;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
