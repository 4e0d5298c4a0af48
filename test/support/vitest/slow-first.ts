import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more: the end-to-end tests, and the suites that every adapter passes. */
const SLOW = /\/test\/(e2e\/|infra\/compute\/[^/]+$)/;
/** Words of files that start servers or a browser, which take half a minute. */
const STARTS_SERVERS = /\b(startTest(Stack|Servers)|startStack|startSshd|testCli|useBrowser)\(/;
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
      if (SLOW.test(moduleId)) return 2;
      return STARTS_SERVERS.test(readFileSync(moduleId, 'utf8')) ? 3 : 4;
    };
    const ranks = new Map(files.map((file) => [file, rank(file)]));
    return (await super.sort(files)).toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  }
}
