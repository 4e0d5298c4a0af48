import type { Task } from '../../../../domain/task/task.ts';

/** A task's metric as a page shows it. */
export interface MetricView {
  name: string;
  direction: 'minimize' | 'maximize';
  unit: string | null;
  /** Best possible value, if the task states it. */
  optimum: number | null;
}

export const metricView = ({ metric }: Pick<Task, 'metric'>): MetricView => ({
  name: metric.name,
  direction: metric.direction,
  unit: metric.unit ?? null,
  optimum: metric.optimum ?? null,
});
