import { Temporal } from 'temporal-polyfill/implementation';

/** Temporal with another zone database, in which the zone `zone` has the clocks of `other`. */
export function temporalWithZone(zone: string, other: string): object {
  const { Instant } = Temporal;
  return {
    Instant: {
      fromEpochMilliseconds: (at: number) => ({
        toZonedDateTimeISO: (name: string) =>
          Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name === zone ? other : name),
      }),
    },
  };
}
