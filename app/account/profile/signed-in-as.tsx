import { useRouteLoaderData } from "react-router";
import stylesheet from "./account.css?url";
import type { loader } from "./signed-in.tsx";

/** Whose account the page below is of: the one thing that account pages have above their heading and others do not. */
export function SignedInAs() {
  const person = useRouteLoaderData<typeof loader>("signed-in")?.person;
  return (
    <>
      <link rel="stylesheet" href={stylesheet} precedence="account" />
      {person && (
        <p className="page signed-in-as">
          <Photo {...person} />
          <span>
            Signed in as <strong>{person.name || person.email}</strong>
          </span>
        </p>
      )}
    </>
  );
}

interface PhotoProps {
  name: string;
  email: string;
  image: string | null;
}

/** A person's photo, or the first letter of their name; the letter is also what is seen while there is no photo yet. */
function Photo({ name, email, image }: PhotoProps) {
  const [letter = ""] = name || email;
  return (
    <span className="photo">
      <span aria-hidden="true">{letter.toUpperCase()}</span>
      {image && <img src={image} alt="" referrerPolicy="no-referrer" />}
    </span>
  );
}
