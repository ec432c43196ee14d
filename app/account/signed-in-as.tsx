export interface Person {
  name: string;
  email: string;
  /** Where their photo is. */
  image: string | null;
}

export function SignedInAs({ person }: { person: Person }) {
  return (
    <p className="signed-in-as">
      <Photo {...person} />
      <span className="sr-only">Signed in as </span>
      <strong>
        <bdi>{person.name || person.email}</bdi>
      </strong>
    </p>
  );
}

/** Characters as people see them, such as flags and families. */
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

export function initialOf(name: string): string {
  const [first] = CHARACTERS.segment(name.trim());
  return first?.segment.toUpperCase() ?? "";
}

export function Photo({ name, email, image, isLarge }: Person & { isLarge?: boolean }) {
  return (
    <span className="photo" data-large={isLarge}>
      <span aria-hidden="true">{initialOf(name || email)}</span>
      {image && <img src={image} alt="" referrerPolicy="no-referrer" />}
    </span>
  );
}
