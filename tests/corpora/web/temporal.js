// Operations of Temporal with values drawn at random, always the same ones. What throws is shown by the error's name.
let state = 20_261_129;
const draw = (count) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * count);
};
const one = (list) => list[draw(list.length)];
const between = (least, most) => least + draw(most - least + 1);
const pad = (value, length = 2) => `${value}`.padStart(length, "0");

const ZONES = ["UTC", "Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Apia", "America/Sao_Paulo", "+05:30", "-08:00"];
const MODES = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
const DATE_UNITS = ["year", "month", "week", "day"];
const TIME_UNITS = ["hour", "minute", "second", "millisecond", "microsecond", "nanosecond"];
const UNITS = [...DATE_UNITS, ...TIME_UNITS];

const dateText = () => `${pad(one([1900, 1969, 1999, 2000, 2016, 2024, 2025, 2026]) + draw(3), 4)}-${pad(between(1, 12))}-${pad(between(1, 31))}`;
const timeText = () => `${pad(draw(24))}:${pad(draw(60))}:${pad(draw(60))}.${pad(draw(1e9), 9)}`;
const dateTimeText = () => `${dateText()}T${timeText()}`;
const durationFields = (units) => {
  const sign = one([1, -1]);
  const fields = {};
  for (let i = 0; i < 3; i++) fields[`${one(units)}s`] = sign * between(0, 40);
  return fields;
};
const rounding = (units) => {
  const options = { smallestUnit: one(units), roundingMode: one(MODES) };
  if (draw(3) === 0) options.roundingIncrement = one([1, 2, 3, 4, 5, 10, 15, 30]);
  return options;
};
const difference = (units) => {
  const options = draw(2) === 0 ? {} : rounding(units);
  if (draw(2) === 0) options.largestUnit = one([...units, "auto"]);
  return options;
};
const placing = () => ({ disambiguation: one(["compatible", "earlier", "later", "reject"]) });
const overflow = () => ({ overflow: one(["constrain", "reject"]) });

const { Duration, Instant, PlainDate, PlainDateTime, PlainMonthDay, PlainTime, PlainYearMonth } = Temporal;
const date = () => PlainDate.from(dateText());
const time = () => PlainTime.from(timeText());
const dateTime = () => PlainDateTime.from(dateTimeText());
const zoned = () => dateTime().toZonedDateTime(one(ZONES), placing());
const instant = () => Instant.from(`${dateTimeText()}Z`);
const duration = (units = UNITS) => Duration.from(durationFields(units));
const month = () => PlainYearMonth.from(dateText().slice(0, 7));

const OPERATIONS = {
  addDate: () => date().add(durationFields(DATE_UNITS), overflow()),
  addDateTime: () => dateTime().subtract(durationFields(UNITS), overflow()),
  addDuration: () => duration(["day", ...TIME_UNITS]).add(durationFields(["day", ...TIME_UNITS])),
  addInstant: () => instant().add(durationFields(TIME_UNITS)),
  addMonth: () => month().add(durationFields(["year", "month"])),
  addTime: () => time().subtract(durationFields(TIME_UNITS)),
  addZoned: () => zoned().add(durationFields(UNITS), overflow()),
  compare: () => [PlainDate.compare(date(), date()), PlainTime.compare(time(), time()), Instant.compare(instant(), instant())],
  compareDurations: () => Duration.compare(duration(), duration(), { relativeTo: one([date(), zoned()]) }),
  dateFields: () => {
    const { dayOfWeek, dayOfYear, weekOfYear, yearOfWeek, daysInMonth, daysInYear, inLeapYear, monthCode } = date();
    return [dayOfWeek, dayOfYear, weekOfYear, yearOfWeek, daysInMonth, daysInYear, inLeapYear, monthCode];
  },
  fromFields: () => PlainDate.from({ year: between(1990, 2030), month: between(0, 13), day: between(0, 32) }, overflow()),
  monthDay: () => PlainMonthDay.from({ month: between(1, 12), day: between(28, 31) }, overflow()).toPlainDate({ year: between(2020, 2026) }),
  roundDateTime: () => dateTime().round(rounding(["day", ...TIME_UNITS])),
  roundDuration: () => duration().round({ ...rounding(UNITS), largestUnit: one(UNITS), relativeTo: one([date(), zoned()]) }),
  roundInstant: () => instant().round(rounding(TIME_UNITS)),
  roundTime: () => time().round(rounding(TIME_UNITS)),
  roundZoned: () => zoned().round(rounding(["day", ...TIME_UNITS])),
  sinceDate: () => date().since(date(), difference(DATE_UNITS)),
  sinceInstant: () => instant().since(instant(), difference(TIME_UNITS)),
  sinceMonth: () => month().since(month(), difference(["year", "month"])),
  sinceZoned: () => zoned().since(zoned(), difference(UNITS)),
  text: () => dateTime().toString({ smallestUnit: one(TIME_UNITS), roundingMode: one(MODES) }),
  texts: () => [zoned().toString({ offset: one(["auto", "never"]), timeZoneName: one(["auto", "never", "critical"]), fractionalSecondDigits: draw(10) }), duration()],
  total: () => duration().total({ unit: one(UNITS), relativeTo: one([date(), zoned()]) }),
  transition: () => {
    const at = zoned();
    return [at, at.getTimeZoneTransition("next"), at.getTimeZoneTransition("previous")];
  },
  untilDate: () => date().until(date(), difference(DATE_UNITS)),
  untilDateTime: () => dateTime().until(dateTime(), difference(UNITS)),
  untilTime: () => time().until(time(), difference(TIME_UNITS)),
  untilZoned: () => {
    const start = zoned();
    return start.until(zoned().withTimeZone(start.timeZoneId), difference(UNITS));
  },
  withDate: () => date().with({ month: between(1, 13), day: between(1, 32) }, overflow()),
  withTime: () => time().with({ hour: between(-1, 25), nanosecond: between(0, 1100) }, overflow()),
  withZoned: () => zoned().with({ hour: between(0, 23), day: between(1, 31) }, { ...overflow(), offset: one(["prefer", "use", "ignore", "reject"]) }),
  zonedFields: () => {
    const at = zoned();
    return [at.hoursInDay, at.offset, at.offsetNanoseconds, at.startOfDay(), at.epochNanoseconds];
  },
};

for (let round = 0; round < 14; round++) {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    let shown;
    try {
      shown = `${operation()}`;
    } catch (error) {
      shown = error.name;
    }
    console.log(round, name, shown);
  }
}
