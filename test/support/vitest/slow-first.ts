import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more: whole stacks, and the suites that every adapter passes. */
const SLOW = /\/test\/(e2e\/|infra\/compute\/[^/]+$)/;
/** Files with the tests of many: they must not be the last. */
const FIRST = /\/shared-[^/]+\.test\.ts$/;
/** The test of the package that users install belongs to each part of the long tests. */
const IN_EACH_PART = /\/package\.long\.test\.ts$/;

/**
 * Runs slow files first. Without known times vitest sorts by size, and a short file that takes minutes would be the
 * last. Files of the project `alone` come before all: vitest ends a shared process, with its loaded modules, if such a
 * file is the next one.
 */
export class SlowFirst extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const part = await super.shard(files);
    return part.concat(files.filter((file) => IN_EACH_PART.test(file.moduleId) && !part.includes(file)));
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
