for file in *.v[0-9].json*; do
    oneshot validate --as "${file%.json*}" "$file"
done
