/** What only those who look ahead, or back at gaps, need. Loaded with the first of them. */
export { gapsBetween, isUsuallyAbsent, previewSchedule } from '../domain/index.ts';
