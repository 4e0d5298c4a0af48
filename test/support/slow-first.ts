import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole stacks first: where nothing is known of earlier times, the order is by size, and a short file that takes a minute comes last, alone. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/e2e/');
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
