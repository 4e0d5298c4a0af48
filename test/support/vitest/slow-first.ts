import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more: whole stacks, and the suites that every adapter passes. */
const SLOW = /\/test\/(e2e\/|infra\/compute\/[^/]+$)/;

/** Slow ones first: where nothing is known of earlier times, the order is by size, and a short file that takes minutes comes last, alone. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
