import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more: whole stacks, and the suites that every adapter passes. */
const SLOW = /\/test\/(e2e\/|infra\/compute\/[^/]+$)/;
/** Files that take minutes: long tests, and files with the tests of many. They must not be the last. */
const FIRST = /\.long\.test\.ts$|\/shared-[^/]+\.test\.ts$|\/test\/scripts\/package\.test\.ts$/;
const LONG = /\.long\.test\.ts$/;

/**
 * Runs slow files first. Without known times vitest sorts by size, and a short file that takes minutes would be the
 * last. Files of the project `alone` come before all: vitest ends a shared process, with its loaded modules, if such a
 * file is the next one.
 */
export class SlowFirst extends BaseSequencer {
  /** Chooses a part of the long files. All other files belong to each part. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const long = files.filter(({ moduleId }) => LONG.test(moduleId));
    const others = files.filter(({ moduleId }) => !LONG.test(moduleId));
    return [...(await super.shard(long)), ...others];
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (project.name === 'alone') return 0;
      if (FIRST.test(moduleId)) return 1;
      return SLOW.test(moduleId) ? 2 : 3;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
