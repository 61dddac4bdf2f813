// What the classes of Temporal have in common.

export default ({ native, primordials, temporalOptions, temporalFields, temporalValues, localizedTemporal }) => {
  const { define, objectGetPrototypeOf, RangeError, TypeError } = primordials;
  const { kind, difference, record, shown, text } = temporalOptions;
  const { KINDS } = temporalFields;
  const { toDuration } = temporalValues;
  const { add, calendar, compare, convert, equals, field, since, text: written, until } = native.temporal;
  const { getOwnPropertyDescriptor } = Object;
  const NAMES = Object.keys(KINDS);

  const receiver = (value, number) => {
    if (kind(value) !== number) throw new TypeError(`The receiver is not a Temporal.${NAMES[number - 1]}`);
    return value;
  };
  // The calendar that a constructor was given: its name alone.
  const calendarNamed = (name) => (name === undefined ? "iso8601" : calendar(text(name, "A calendar")));
  const prototypeOf = (instance) => objectGetPrototypeOf(instance);

  const HAS_CALENDAR = { __proto__: null };
  for (const name of ["ZonedDateTime", "PlainDateTime", "PlainDate", "PlainYearMonth", "PlainMonthDay"]) HAS_CALENDAR[KINDS[name]] = true;
  // Dates in different calendars have no difference.
  const comparable = (number, value, that) => {
    if (HAS_CALENDAR[number] && field(value, number, "calendarId") !== field(that, number, "calendarId")) {
      throw new RangeError("Both must be in the same calendar: use withCalendar");
    }
    return that;
  };
  const none = () => record();

  const getters = (prototype, number, names) => {
    for (const name of names.split(" ")) {
      const descriptor = getOwnPropertyDescriptor({ get [name]() { return field(this, number, name); } }, name);
      descriptor.enumerable = false;
      Object.defineProperty(prototype, name, descriptor);
    }
  };

  // How a class sums up, differs and is written. `to` makes its values of what scripts give.
  const sums = (number, read = none) => ({
    add(duration, options = undefined) {
      receiver(this, number);
      const by = toDuration(duration);
      return add(this, by, false, read(options));
    },
    subtract(duration, options = undefined) {
      receiver(this, number);
      const by = toDuration(duration);
      return add(this, by, true, read(options));
    },
  });
  const differences = (number, to) => ({
    until(that, options = undefined) {
      receiver(this, number);
      const end = comparable(number, this, to(that));
      return until(this, end, difference(options));
    },
    since(that, options = undefined) {
      receiver(this, number);
      const start = comparable(number, this, to(that));
      return since(this, start, difference(options));
    },
  });
  const same = (number, to) => ({
    equals(that) {
      receiver(this, number);
      return equals(this, to(that));
    },
  });
  const texts = (number, names) => ({
    toString(options = undefined) {
      receiver(this, number);
      return written(this, shown(options, names), undefined);
    },
    toJSON() {
      receiver(this, number);
      return written(this, record(), undefined);
    },
    toLocaleString(locales = undefined, options = undefined) {
      receiver(this, number);
      return localizedTemporal(this, locales, options);
    },
    valueOf() {
      const name = `Temporal.${NAMES[number - 1]}`;
      const instead = number === KINDS.PlainMonthDay ? "use equals" : `use ${name}.compare or equals`;
      throw new TypeError(`A ${name} is not a number: ${instead}`);
    },
  });
  const other = (value, item) => (value === item ? convert(value, kind(value)) : value);
  const made = (to) => ({
    from(item, options = undefined) {
      return other(to(item, options), item);
    },
  });
  const ordered = (to) => ({
    compare(one, two) {
      const first = to(one);
      return compare(first, to(two));
    },
  });

  const DATE = "calendarId day dayOfWeek dayOfYear daysInMonth daysInWeek daysInYear era eraYear inLeapYear month monthCode monthsInYear weekOfYear year yearOfWeek";
  const TIME = "hour minute second millisecond microsecond nanosecond";
  // A class with its methods, its getters and its tag.
  const complete = (Class, number, fields, ...methods) => {
    for (const some of methods) define(Class.prototype, some);
    getters(Class.prototype, number, fields);
    primordials.tagged(Class, `Temporal.${Class.name}`);
    return Class;
  };

  return {
    temporalClasses: { DATE, TIME, calendarNamed, complete, differences, made, ordered, other, prototypeOf, receiver, same, sums, texts },
  };
};
